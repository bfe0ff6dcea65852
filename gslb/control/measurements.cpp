// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/measurements.hpp"

namespace twinsite::gslb::control {

bool Measurements::report_fact(const std::string& name, double value, Time ttl, Time heard_at) {
    const auto found = known_.find(name);
    if (found == known_.end() && known_.size() >= kMaxFacts) return false;
    if (found != known_.end() && found->second.heard_at > heard_at) return true;
    known_[name] = {value, ttl, heard_at};
    return true;
}

void Measurements::report_load(
    const std::string& service,
    const std::string& target,
    double percent,
    std::uint64_t seq,
    Time heard_at
) {
    loads_[{service, target}].report(percent, seq, heard_at);
}

void Measurements::advance(const steering::Steering& steering, Time now) {
    facts_.values.clear();
    for (const auto& [name, known] : known_)
        facts_.values[name] = {known.value, now - known.heard_at <= known.ttl};
    for (const auto& service : steering.services)
        for (const auto& target : service.targets) {
            const auto found = loads_.find(std::pair(service.name, target.name));
            if (found != loads_.end()) found->second.advance(service.load, now);
        }
}

std::uint16_t Measurements::share_permille(std::string_view service, std::string_view target)
    const {
    const auto found = loads_.find(std::pair(std::string(service), std::string(target)));
    return found == loads_.end() ? std::uint16_t{1000} : found->second.permille();
}

std::vector<Measurements::FactView> Measurements::fact_views(Time now) const {
    std::vector<FactView> out;
    for (const auto& [name, known] : known_) {
        const auto age = now - known.heard_at;
        out.push_back({name, known.value, age, known.ttl, age <= known.ttl});
    }
    return out;
}

std::vector<Measurements::LoadView> Measurements::load_views() const {
    std::vector<LoadView> out;
    for (const auto& [key, share] : loads_)
        out.push_back({key.first, key.second, share.last(), share.permille()});
    return out;
}

}  // namespace twinsite::gslb::control
