// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/answer/server_fixture.hpp"

#include <stdexcept>
#include <utility>

#include "base/text/ip.hpp"
#include "gslb/zone/index_builder.hpp"

namespace twinsite::gslb::answer {
namespace {

using steering::FilterKind;

constexpr const char* kZone = R"(
t.example. 3600 SOA ns1.t.example. hostmaster.t.example. 7 7200 900 1209600 60
t.example. 3600 NS ns1.t.example.
t.example. 3600 NS ns2.other.example.
t.example. 3600 MX 10 mail.t.example.
ns1.t.example. 3600 A 192.0.2.1
mail.t.example. 300 A 192.0.2.25
mail.t.example. 300 AAAA 2001:db8::25
a.b.t.example. 300 A 192.0.2.2
text.t.example. 300 TXT "one" "two"
_sip._udp.t.example. 300 SRV 1 2 5060 mail.t.example.
c1.t.example. 300 CNAME c2.t.example.
c2.t.example. 300 CNAME gone.t.example.
c3.t.example. 300 CNAME x.other.
c4.t.example. 300 CNAME c5.t.example.
c5.t.example. 300 CNAME mail.t.example.
c6.t.example. 300 CNAME www.t.example.
c7.t.example. 300 CNAME q.w.t.example.
c8.t.example. 300 CNAME ns1.t.example.
c9.t.example. 300 CNAME host.sub.t.example.
loop1.t.example. 300 CNAME loop2.t.example.
loop2.t.example. 300 CNAME loop1.t.example.
*.w.t.example. 300 A 192.0.2.3
*.w.t.example. 300 MX 5 mail.t.example.
sub.*.w.t.example. 300 TXT "below the asterisk"
there.w.t.example. 300 TXT "there"
*.cw.t.example. 300 CNAME mail.t.example.
sub.t.example. 300 NS ns.sub.t.example.
sub.t.example. 300 NS ns1.t.example.
sub.t.example. 300 DS 1 13 2 0000000000000000000000000000000000000000000000000000000000000000
ns.sub.t.example. 300 A 192.0.2.4
ns.sub.t.example. 300 AAAA 2001:db8::4
www.t.example. 300 TXT "beside the addresses"
)";

base::text::IpAddress ip(std::string_view text) {
    return base::text::parse_ip(text).value();
}

steering::Target target(
    std::string name,
    steering::SiteIndex site,
    std::vector<std::string_view> addresses,
    std::uint32_t weight = 1
) {
    steering::Target out{std::move(name), site, {}, weight};
    for (const auto text : addresses) out.addresses.push_back(ip(text));
    return out;
}

steering::Policy policy(std::string owner, std::size_t service, std::vector<FilterKind> kinds) {
    steering::Policy out;
    out.owner = std::move(owner);
    out.service = service;
    for (const FilterKind kind : kinds) out.filters.push_back({kind, {}});
    return out;
}

std::shared_ptr<const steering::Steering> make_steering() {
    auto out = std::make_shared<steering::Steering>();
    out->sites = {"idc2", "idc1"};
    out->services = {
        {"web",
         {target("idc1", 1, {"203.0.113.1", "2001:db8:1::1"}), target("idc2", 0, {"198.51.100.1"})}
        },
        {"pool",
         {target("p50", 0, {"192.0.2.50"}, 50),
          target("p30", 0, {"192.0.2.30"}, 30),
          target("p20", 0, {"192.0.2.20", "192.0.2.21"}, 20)}},
    };
    const std::vector<FilterKind> nearest = {
        FilterKind::override_, FilterKind::up, FilterKind::nearest, FilterKind::failover
    };
    out->policies = {
        policy("www.t.example", 0, nearest),
        policy("pool.t.example", 1, {FilterKind::override_, FilterKind::up, FilterKind::weighted}),
        policy("*.any.t.example", 0, nearest),
        policy("closed.t.example", 0, nearest),
        policy("t.example", 0, {FilterKind::override_, FilterKind::up}),
    };
    out->policies[3].all_down = steering::AllDown::closed;
    return out;
}

std::shared_ptr<const steering::PrefixMap> make_prefixes(const steering::Steering& steering) {
    const steering::PrefixEntry entries[] = {
        {base::text::parse_prefix("10.1.0.0/16").value(), {1}},
        {base::text::parse_prefix("10.1.2.0/24").value(), {0}},
        {base::text::parse_prefix("2001:db8:aa00::/40").value(), {1}},
    };
    return std::make_shared<const steering::PrefixMap>(entries, default_orders(steering));
}

}  // namespace

ServerFixture::ServerFixture(std::string_view extra) : source(ip("192.0.2.53")) {
    const auto zone = tests::zone_from_text("t.example", kZone + std::string(extra));
    const auto steering = make_steering();
    std::vector<std::string> problems;
    const auto names = steered_names(*steering, problems);
    const auto built = zone::build_index({&zone, 1}, names);
    if (!built.problems.empty()) throw std::invalid_argument(built.problems[0]);
    builder = std::make_unique<SnapshotBuilder>(built.index, make_prefixes(*steering), steering);
    states = builder->initial_states();
    for (auto& service : states)
        for (auto& state : service) state.health = steering::Health::up;
    publish();
}

void ServerFixture::publish() {
    snapshot = builder->build(states);
}

void ServerFixture::set_health(std::size_t service, std::vector<steering::Health> health) {
    for (std::size_t i = 0; i < health.size(); ++i) states[service].at(i).health = health[i];
    publish();
}

tests::Bytes ServerFixture::ask_raw(std::span<const std::uint8_t> query) {
    tests::Bytes out(reply_buffer_bytes);
    const Context context{source, transport, max_udp_payload, random, counters};
    out.resize(answer(context, *snapshot, query, out));
    return out;
}

tests::Reply ServerFixture::ask(const tests::Question& question) {
    return tests::parse_reply(ask_raw(tests::make_query(question)));
}

tests::Question with_subnet(std::string_view prefix, std::string name, std::string type) {
    tests::Question out{std::move(name), std::move(type)};
    out.udp_payload = 1232;
    out.options = tests::subnet_option(prefix);
    return out;
}

}  // namespace twinsite::gslb::answer
