// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/answer/signed_fixture.hpp"

#include <stdexcept>
#include <utility>

#include "base/text/ip.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/key_set.hpp"

namespace twinsite::gslb::answer {
namespace {

constexpr zone::UnixTime kNow = 1'800'000'000;

constexpr const char* kZone = R"(
t.example. 3600 SOA ns1.t.example. hostmaster.t.example. 7 7200 900 1209600 60
t.example. 3600 NS ns1.t.example.
ns1.t.example. 3600 A 192.0.2.1
mail.t.example. 300 A 192.0.2.25
a.b.t.example. 300 A 192.0.2.2
*.w.t.example. 300 A 192.0.2.3
there.w.t.example. 300 TXT "there"
*.cw.t.example. 300 CNAME mail.t.example.
c1.t.example. 300 CNAME mail.t.example.
c2.t.example. 300 CNAME q.w.t.example.
c3.t.example. 300 CNAME gone.t.example.
c4.t.example. 300 CNAME x.old.t.example.
old.t.example. 200 DNAME new.t.example.
old.t.example. 300 TXT "beside"
x.new.t.example. 300 A 192.0.2.9
away.t.example. 200 DNAME other.example.
loop.t.example. 200 DNAME loop.t.example.
safe.t.example. 300 NS ns.safe.t.example.
safe.t.example. 300 NS ns.sub.t.example.
safe.t.example. 300 DS 1 13 2 0000000000000000000000000000000000000000000000000000000000000000
ns.safe.t.example. 300 A 192.0.2.4
sub.t.example. 300 NS ns.sub.t.example.
ns.sub.t.example. 300 A 192.0.2.5
)";

zone::KeySet make_keys() {
    zone::KeySet out;
    for (const bool secure_entry : {true, false}) {
        zone::ZoneKey key;
        auto secret = base::crypto::EcdsaKey::generate();
        if (!secret) throw std::runtime_error("no key");
        key.secret = std::make_shared<const base::crypto::EcdsaKey>(*std::move(secret));
        key.public_key = key.secret->public_key();
        if (secure_entry) key.flags |= zone::key_flag::secure_entry;
        key.signs_keys = secure_entry;
        key.signs_data = !secure_entry;
        out.keys.push_back(std::move(key));
    }
    return out;
}

}  // namespace

zone::ZoneData make_zone(Signed how, std::string_view lines) {
    auto data = tests::zone_from_text("t.example", kZone + std::string(lines));
    if (how == Signed::no) return data;
    zone::SignParameters parameters;
    parameters.times.now = kNow;
    parameters.denial = how == Signed::nsec3 ? zone::Denial::nsec3 : zone::Denial::nsec;
    auto out = zone::sign_zone(data, make_keys(), parameters);
    if (!out.zone) throw std::runtime_error(out.problem);
    return *std::move(out.zone);
}

SignedServer::SignedServer(Signed how, std::string_view lines)
    : SignedServer(make_zone(how, lines)) {}

SignedServer::SignedServer(const zone::ZoneData& zone) {
    auto built = zone::build_index({&zone, 1}, {});
    problems = std::move(built.problems);
    if (!problems.empty()) return;
    const auto steering = std::make_shared<const steering::Steering>();
    const auto prefixes = std::make_shared<const steering::PrefixMap>(
        std::span<const steering::PrefixEntry>{}, steering::default_orders(*steering)
    );
    SnapshotBuilder builder(built.index, prefixes, steering);
    snapshot_ = builder.build(builder.initial_states());
}

tests::Bytes SignedServer::ask_raw(std::span<const std::uint8_t> query) {
    tests::Bytes out(65535);
    const Context context{
        base::text::parse_ip("192.0.2.53").value(), transport, max_udp_payload, random_, counters
    };
    out.resize(answer(context, *snapshot_, query, out));
    return out;
}

tests::Reply SignedServer::ask(std::string name, std::string type, bool dnssec_ok) {
    tests::Question question{std::move(name), std::move(type)};
    question.udp_payload = 4096;
    question.dnssec_ok = dnssec_ok;
    return tests::parse_reply(ask_raw(tests::make_query(question)));
}

}  // namespace twinsite::gslb::answer
