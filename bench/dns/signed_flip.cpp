// SPDX-License-Identifier: Apache-2.0
// What a health flip costs with many steered names in a signed zone: from the verdict to the
// snapshot that is ready to be published. Prints one line per flip, in milliseconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/likely_states.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "wire/dns/message.hpp"

namespace {

using namespace twinsite;
using namespace twinsite::gslb;
using std::chrono::steady_clock;
using steering::FilterKind;

double milliseconds_since(steady_clock::time_point from) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - from).count();
}

std::shared_ptr<const steering::Steering> make_steering(std::size_t names) {
    auto out = std::make_shared<steering::Steering>();
    out->sites = {"east", "west"};
    steering::Target east{"east", 0, {base::text::parse_ip("203.0.113.1").value()}};
    steering::Target west{"west", 1, {base::text::parse_ip("198.51.100.1").value()}};
    out->services = {{"web", {east, west}}};
    for (std::size_t i = 0; i < names; ++i) {
        steering::Policy policy;
        policy.owner = "n" + std::to_string(i) + ".t.example";
        for (const auto kind :
             {FilterKind::override_, FilterKind::up, FilterKind::nearest, FilterKind::failover})
            policy.filters.push_back({kind});
        out->policies.push_back(policy);
    }
    return out;
}

zone::KeySet make_keys() {
    zone::KeySet out;
    zone::ZoneKey key;
    auto secret = base::crypto::EcdsaKey::generate();
    if (!secret) std::abort();
    key.secret = std::make_shared<const base::crypto::EcdsaKey>(*std::move(secret));
    key.public_key = key.secret->public_key();
    key.flags |= zone::key_flag::secure_entry;
    key.signs_keys = key.signs_data = true;
    out.keys.push_back(std::move(key));
    return out;
}

zone::ZoneData make_zone() {
    const auto origin = *wire::dns::parse_name("t.example");
    const auto wire = origin.wire();
    const std::vector<std::uint8_t> ns(wire.begin(), wire.end());
    auto soa = ns;
    soa.insert(soa.end(), ns.begin(), ns.end());
    soa.resize(soa.size() + 20, 1);
    return {
        origin,
        1,
        {{origin, wire::dns::type::soa, 300, {soa}}, {origin, wire::dns::type::ns, 300, {ns}}}
    };
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t names = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
    const auto steering = make_steering(names);
    std::vector<std::string> problems;
    const auto steered = answer::steered_names(*steering, problems);
    const auto keys = std::make_shared<const zone::KeySet>(make_keys());
    zone::SignParameters how;
    how.times.now = 1'800'000'000;
    how.steered = steered;
    auto begin = steady_clock::now();
    const auto made = zone::sign_zone(make_zone(), *keys, how);
    if (!made.zone) return std::fprintf(stderr, "%s\n", made.problem.c_str()), 1;
    std::printf("sign_zone: %.1f ms, %zu signatures\n", milliseconds_since(begin), made.made);
    begin = steady_clock::now();
    const auto built = zone::build_index({&*made.zone, 1}, steered);
    for (const auto& problem : built.problems) std::fprintf(stderr, "%s\n", problem.c_str());
    if (!built.index) return 1;
    std::printf("build_index: %.1f ms\n", milliseconds_since(begin));
    const auto prefixes = std::make_shared<const steering::PrefixMap>(
        std::span<const steering::PrefixEntry>{}, steering::default_orders(*steering)
    );
    const auto signer = std::make_shared<zone::VariantSigner>(
        keys, std::make_shared<const zone::DenialChain>(*made.zone), how.times
    );
    answer::SnapshotBuilder builder(built.index, prefixes, steering, 1, {signer});
    auto states = builder.initial_states();
    for (auto& state : states[0]) state.health = steering::Health::up;
    const auto flip = [&](const char* what) {
        const auto from = steady_clock::now();
        const auto before = signer->made();
        const auto snapshot = builder.build(states);
        std::printf(
            "%s: %.1f ms, %zu signatures made\n",
            what,
            milliseconds_since(from),
            signer->made() - before
        );
    };
    flip("first answers");
    auto copy = std::make_shared<zone::VariantSigner>(*signer);
    copy->take_new();
    begin = steady_clock::now();
    answer::SnapshotBuilder ahead(built.index, prefixes, steering, 1, {copy});
    for (const auto& likely : answer::likely_states(*steering, states)) ahead.build(likely);
    signer->accept(copy->take_new());
    std::printf("signed ahead: %.1f ms\n", milliseconds_since(begin));
    states[0][0].health = steering::Health::down;
    flip("east down");
    states[0][0].health = steering::Health::up;
    flip("east up");
    states[0][1].health = steering::Health::down;
    flip("west down");
    return 0;
}
