// SPDX-License-Identifier: Apache-2.0
// The helm's part for what others measured, and for what passes with time.
#include <algorithm>

#include "base/log/log.hpp"
#include "gslb/control/helm.hpp"

namespace twinsite::gslb::control {
namespace {

namespace log = base::log;
using log::Level;
using steering::Health;

Refusal unknown(Refusal::Cause cause, std::string text, std::vector<std::string> candidates) {
    return {cause, std::move(text), std::move(candidates)};
}

}  // namespace

std::optional<Refusal> Helm::report_load(const LoadReport& report) {
    const OverrideKey key{report.service, report.target};
    if (auto refusal = check_known(key, *setup_.steering)) return refusal;
    if (key.site()) return unknown(Refusal::Cause::unknown_object, "load is told of targets", {});
    measured_.report_load(
        report.service, report.target, report.percent, report.seq, time_ - report.age
    );
    return std::nullopt;
}

bool Helm::report_fact(const FactReport& report) {
    return measured_.report_fact(report.name, report.value, report.ttl, time_ - report.age);
}

std::optional<Refusal> Helm::report_delay(const DelayReport& report) {
    const auto& sites = setup_.steering->sites;
    const auto found = std::find(sites.begin(), sites.end(), report.site);
    if (found == sites.end())
        return unknown(Refusal::Cause::unknown_object, "no site '" + report.site + "'", sites);
    const auto site = static_cast<steering::SiteIndex>(found - sites.begin());
    if (!measured_.delays().report(report.prefix, site, report.rtt_ms, time_ - report.age))
        return unknown(Refusal::Cause::unknown_object, "the table of delays is full", {});
    return std::nullopt;
}

void Helm::use_reports() {
    measured_.advance(*setup_.steering, time_);
    refresh();
}

void Helm::tick(std::chrono::steady_clock::time_point now) {
    time_ = std::chrono::duration_cast<Measurements::Time>(now.time_since_epoch());
    measured_.advance(*setup_.steering, time_);
    if (time_ - settled_ >= kSettleEvery) {
        settled_ = time_;
        if (measured_.delays().settle(time_)) return use_delays();
    }
    // Nothing else changes with time alone.
    if (!measured_.empty() || !returns_.entries().empty()) refresh();
}

/// Orders by delay are other classes of clients: everything is decided anew.
void Helm::use_delays() {
    if (!setup_.layers) return;
    auto layers = *setup_.layers;
    layers.measured = measured_.delays().layer();
    setup_.prefixes = std::make_shared<const steering::PrefixMap>(
        layers, steering::default_orders(*setup_.steering)
    );
    log::event(
        Level::info,
        "delays_used",
        {{"networks", layers.measured.items.size()}, {"classes", setup_.prefixes->classes().size()}}
    );
    make_builder();
    states_ = read_states();
    build();
}

bool Helm::release_site(const std::string& service, const std::string& site) {
    if (!returns_.release(service, site)) return false;
    log::event(Level::warning, "site_released", {{"service", service}, {"site", site}});
    refresh();
    return true;
}

void Helm::add_memory(answer::ServiceStates& states) const {
    const auto& services = setup_.steering->services;
    for (std::size_t s = 0; s < services.size(); ++s) {
        auto& of = states[s];
        for (std::size_t t = 0; t < of.size(); ++t)
            of[t].share_permille =
                measured_.share_permille(services[s].name, services[s].targets[t].name);
        const bool any_up = std::any_of(of.begin(), of.end(), [](const auto& state) {
            return state.health == Health::up;
        });
        // While none is up, what was up before stays remembered.
        const bool comparable = s < states_.size() && states_[s].size() == of.size();
        for (std::size_t t = 0; t < of.size(); ++t)
            of[t].last_up =
                any_up ? of[t].health == Health::up : comparable && states_[s][t].last_up;
        returns_.update(*setup_.steering, s, of, time_);
    }
}

}  // namespace twinsite::gslb::control
