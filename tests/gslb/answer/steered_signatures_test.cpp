// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/steered_signatures.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "gslb/answer/answer.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/zone/index_builder.hpp"
#include "gslb/zone/proof.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "tests/support/dns_messages.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using steering::FilterKind;
using steering::Health;

constexpr zone::UnixTime kNow = 1'800'000'000;

zone::ZoneKey make_key(bool secure_entry) {
    zone::ZoneKey out;
    out.secret =
        std::make_shared<const base::crypto::EcdsaKey>(*base::crypto::EcdsaKey::generate());
    out.public_key = out.secret->public_key();
    if (secure_entry) out.flags |= zone::key_flag::secure_entry;
    out.signs_keys = secure_entry;
    out.signs_data = !secure_entry;
    return out;
}

base::text::IpAddress ip(std::string_view text) {
    return base::text::parse_ip(text).value();
}

struct Record {
    dns::Name owner;
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
    std::vector<std::uint8_t> rdata;  ///< as it stands in the message
};
struct Sections {
    unsigned rcode = 0;
    std::vector<Record> answer;
    std::vector<Record> authority;
};

Sections read_sections(const tests::Bytes& message) {
    Sections out;
    out.rcode = message[3] & 0xfU;
    std::size_t at = dns::kHeaderBytes;
    EXPECT_TRUE(dns::decode_name(message, at));
    at += 4;
    for (auto* section : {&out.answer, &out.authority}) {
        const unsigned count = dns::load16(message.data() + (section == &out.answer ? 6 : 8));
        for (unsigned i = 0; i < count; ++i) {
            Record record;
            record.owner = *dns::decode_name(message, at);
            record.type = dns::load16(message.data() + at);
            record.ttl = dns::load32(message.data() + at + 4);
            const std::size_t size = dns::load16(message.data() + at + 8);
            const auto begin = message.begin() + static_cast<std::ptrdiff_t>(at + 10);
            record.rdata.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
            at += 10 + size;
            section->push_back(std::move(record));
        }
    }
    return out;
}

/// Names www.t.example and shop.t.example that fail open, shy.t.example that fails closed, and
/// plain.other.example in a zone that nobody signs; two targets, the second with IPv4 alone.
class SignedSteering : public testing::TestWithParam<zone::Denial> {
protected:
    SignedSteering() {
        auto steering = std::make_shared<steering::Steering>();
        steering->sites = {"east", "west"};
        steering::Target east{"east", 0, {ip("203.0.113.1"), ip("2001:db8::1")}};
        steering::Target west{"west", 1, {ip("198.51.100.1"), ip("198.51.100.2")}};
        steering->services = {{"web", {east, west}}};
        for (const char* owner :
             {"www.t.example", "shop.t.example", "shy.t.example", "plain.other.example"}) {
            steering::Policy policy;
            policy.owner = owner;
            for (const auto kind : {FilterKind::override_, FilterKind::up, FilterKind::failover})
                policy.filters.push_back({kind});
            steering->policies.push_back(policy);
        }
        steering->policies[2].all_down = steering::AllDown::closed;
        steering_ = steering;

        auto keys = std::make_shared<zone::KeySet>();
        keys->keys = {make_key(true), make_key(false)};
        keys_ = keys;
        std::vector<std::string> problems;
        const auto names = steered_names(*steering_, problems);
        zone::SignParameters how;
        how.times.now = kNow;
        how.denial = GetParam();
        how.steered = names;
        const std::string apex = " 60 SOA ns.x. root.x. 7 7200 900 1209600 60\n";
        auto made = zone::sign_zone(
            tests::zone_from_text("t.example", "t.example." + apex + "t.example. 60 NS ns.x.\n"),
            *keys_,
            how
        );
        EXPECT_EQ(made.problem, "");
        const auto chain = std::make_shared<const zone::DenialChain>(*made.zone);
        signer_ = std::make_shared<zone::VariantSigner>(keys_, chain, how.times);
        const std::vector<zone::ZoneData> zones{
            *std::move(made.zone),
            tests::zone_from_text(
                "other.example", "other.example." + apex + "other.example. 60 NS ns.x.\n"
            )
        };
        const auto built = zone::build_index(zones, names);
        EXPECT_EQ(built.problems, std::vector<std::string>{});
        const auto prefixes = std::make_shared<const steering::PrefixMap>(
            std::span<const steering::PrefixEntry>{}, steering::default_orders(*steering_)
        );
        builder_ = std::make_unique<SnapshotBuilder>(
            built.index, prefixes, steering_, 1, ZoneSigners{signer_}
        );
    }

    void publish(Health east, Health west) {
        auto states = builder_->initial_states();
        states[0][0].health = east;
        states[0][1].health = west;
        snapshot_ = builder_->build(states);
        EXPECT_EQ(builder_->unsigned_answers(), 0U);
    }

    Sections ask(std::string name, std::string type, bool dnssec_ok = true) {
        tests::Question question{std::move(name), std::move(type)};
        question.udp_payload = 4096;
        question.dnssec_ok = dnssec_ok;
        tests::Bytes out(65535);
        const Context context{ip("192.0.2.53"), Transport::tcp, 1232, random_, counters_};
        out.resize(answer(context, *snapshot_, tests::make_query(question), out));
        return read_sections(out);
    }

    /// Whether the section's RRSIG of the type is good for its records of the type.
    bool is_good(const std::vector<Record>& section, std::uint16_t type) const {
        zone::Rdatas rdatas;
        const Record* signature = nullptr;
        const Record* first = nullptr;
        for (const auto& record : section) {
            if (record.type == type) {
                rdatas.emplace_back(record.rdata.begin(), record.rdata.end());
                first = &record;
            }
            if (record.type == dns::type::rrsig && dns::load16(record.rdata.data()) == type)
                signature = &record;
        }
        if (!first || !signature || signature->ttl != first->ttl) return false;
        const auto fields = zone::decode_signature(signature->rdata, kNow);
        const auto content =
            zone::make_signed_content(type, fields->original_ttl, std::move(rdatas));
        return first->ttl <= fields->original_ttl && signature->owner == first->owner &&
               zone::verify_rrset(first->owner, content, signature->rdata, *keys_->data_key());
    }

    std::shared_ptr<const steering::Steering> steering_;
    std::shared_ptr<const zone::KeySet> keys_;
    std::shared_ptr<zone::VariantSigner> signer_;
    std::unique_ptr<SnapshotBuilder> builder_;
    std::shared_ptr<const Snapshot> snapshot_;
    Random random_{1};
    Counters counters_;
};

TEST_P(SignedSteering, EveryOwnerHasItsOwnGoodSignatureInEveryState) {
    for (const auto& [east, west] :
         {std::pair(Health::up, Health::up),
          std::pair(Health::down, Health::up),
          std::pair(Health::up, Health::down)}) {
        publish(east, west);
        for (const char* owner : {"www.t.example", "shop.t.example", "shy.t.example"}) {
            const auto reply = ask(owner, "A");
            EXPECT_EQ(reply.rcode, 0U) << owner;
            EXPECT_TRUE(is_good(reply.answer, dns::type::a)) << owner;
            EXPECT_EQ(ask(owner, "A", false).answer.size(), reply.answer.size() - 1);
        }
    }
}

TEST_P(SignedSteering, AStateSeenBeforeNeedsNoNewSignature) {
    publish(Health::up, Health::up);
    publish(Health::down, Health::up);
    const auto made = signer_->made();
    publish(Health::up, Health::up);
    publish(Health::down, Health::up);
    EXPECT_EQ(signer_->made(), made);
}

TEST_P(SignedSteering, NoDataOfATypeThatTheChainListsHasASecondRecord) {
    const auto chain_type = GetParam() == zone::Denial::nsec ? dns::type::nsec : dns::type::nsec3;
    publish(Health::down, Health::down);
    const auto reply = ask("shy.t.example", "A");
    EXPECT_TRUE(reply.answer.empty());
    EXPECT_TRUE(is_good(reply.authority, chain_type));
    for (const auto& record : reply.authority) {
        EXPECT_LE(record.ttl, 30U) << "no longer than the steered answer";
        if (record.type != chain_type) continue;
        const zone::DenialChain chain(zone::ZoneData{
            *dns::parse_name("t.example"),
            0,
            {{record.owner, chain_type, record.ttl, {{record.rdata.begin(), record.rdata.end()}}}}
        });
        const auto* link = chain.find(*dns::parse_name("shy.t.example"));
        ASSERT_NE(link, nullptr);
        EXPECT_FALSE(std::count(link->types.begin(), link->types.end(), dns::type::a));
        EXPECT_TRUE(std::count(link->types.begin(), link->types.end(), dns::type::aaaa));
    }
    EXPECT_EQ(ask("www.t.example", "A").answer.size(), 2U) << "fails open";
}

TEST_P(SignedSteering, ATypeThatOnlyTheOtherSiteHasIsDeniedByASecondRecordToo) {
    const auto chain_type = GetParam() == zone::Denial::nsec ? dns::type::nsec : dns::type::nsec3;
    publish(Health::up, Health::up);
    EXPECT_TRUE(is_good(ask("shy.t.example", "AAAA").answer, dns::type::aaaa));
    publish(Health::down, Health::up);
    const auto reply = ask("shy.t.example", "AAAA");
    EXPECT_TRUE(reply.answer.empty());
    EXPECT_TRUE(is_good(reply.authority, chain_type));
}

TEST_P(SignedSteering, AZoneThatNobodySignsHasNone) {
    publish(Health::up, Health::up);
    const auto reply = ask("plain.other.example", "A");
    EXPECT_EQ(reply.answer.size(), 1U);
    EXPECT_EQ(snapshot_->signatures(3, dns::type::a), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Denials, SignedSteering, testing::Values(zone::Denial::nsec, zone::Denial::nsec3)
);

}  // namespace
}  // namespace twinsite::gslb::answer
