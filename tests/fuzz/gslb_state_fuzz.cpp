// SPDX-License-Identifier: Apache-2.0
// Any bytes as what gslb reads back from its state folder (overrides, verdicts) and as the body of
// an override in its API: refused, or a value that survives being written and read again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/error/check.hpp"
#include "gslb/control/directives.hpp"
#include "gslb/control/override_file.hpp"
#include "gslb/control/override_request.hpp"
#include "gslb/health/verdict_file.hpp"

using namespace twinsite;
using gslb::control::Moment;
using gslb::control::Override;

namespace {

constexpr std::chrono::seconds kUptime{1'000};
constexpr std::chrono::seconds kToday{1'796'000'000};
const Moment kNow{
    std::chrono::steady_clock::time_point(kUptime), std::chrono::system_clock::time_point(kToday)
};

bool same(const Override& one, const Override& other) {
    return one.key == other.key && one.state == other.state && one.reason == other.reason &&
           one.author == other.author && one.set_at == other.set_at && one.expires == other.expires;
}

void check_override_file(std::string_view text) {
    const auto read = gslb::control::decode_overrides(text, kNow);
    if (!read) return;
    const auto again =
        gslb::control::decode_overrides(gslb::control::encode_overrides(*read, kNow), kNow);
    BASE_CHECK(again && again->entries().size() == read->entries().size());
    for (std::size_t i = 0; i < read->entries().size(); ++i) {
        const auto& entry = read->entries()[i];
        BASE_CHECK(entry.state != gslb::steering::Forced::none);
        BASE_CHECK(!entry.expires || *entry.expires > kNow.monotonic);
        BASE_CHECK(same(entry, again->entries()[i]));
    }
}

void check_override_body(std::string_view text) {
    base::http::Request request;
    request.body = std::string(text);
    const auto read = gslb::control::read_override({"ocs", "ocs-east"}, request, kNow);
    if (const auto* problem = std::get_if<base::http::Response>(&read)) {
        BASE_CHECK(problem->status == 400 || problem->status == 422);
        return;
    }
    const auto& entry = std::get<gslb::control::OverrideRequest>(read).entry;
    BASE_CHECK(entry.state != gslb::steering::Forced::none);
    BASE_CHECK(!entry.reason.empty() && !entry.author.empty());
    BASE_CHECK(!entry.expires || *entry.expires > kNow.monotonic);
    // What the API takes, the file gives back.
    gslb::control::Overrides overrides;
    overrides.set(entry);
    const auto again =
        gslb::control::decode_overrides(gslb::control::encode_overrides(overrides, kNow), kNow);
    BASE_CHECK(again && again->entries().size() == 1);
    BASE_CHECK(same(entry, again->entries().front()));
}

void check_verdict_file(std::string_view text) {
    const auto read = gslb::health::from_json(text, kNow.wall);
    if (!read) return;
    const auto again = gslb::health::from_json(gslb::health::to_json(*read, kNow.wall), kNow.wall);
    BASE_CHECK(again && again->size() == read->size());
    for (const auto& [question, verdict] : *read) {
        const auto found = again->find(question);
        BASE_CHECK(found != again->end() && found->second.state == verdict.state);
        BASE_CHECK(verdict.age.count() >= 0 && found->second.age <= verdict.age);
    }
}

void check_wanted_state(std::string_view text) {
    auto desired = wire::contract::decode_desired(text);
    if (!desired) return;
    const auto read = gslb::control::Directives::read(*std::move(desired));
    const auto* directives = std::get_if<gslb::control::Directives>(&read);
    if (directives == nullptr) return;
    BASE_CHECK(directives->entries().size() == directives->desired().objects.size());
    for (const auto& entry : directives->entries()) {
        // Whatever it names is found under that name, with this state or a stronger one.
        const auto* found = directives->find(entry.service, entry.target, entry.site);
        BASE_CHECK(found != nullptr);
        BASE_CHECK(entry.state != gslb::steering::Forced::up);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_override_file(text);
    check_override_body(text);
    check_verdict_file(text);
    check_wanted_state(text);
    return 0;
}
