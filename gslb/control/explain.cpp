// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/explain.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "gslb/answer/answer.hpp"
#include "gslb/control/rdata_text.hpp"
#include "wire/dns/name_key.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::control {
namespace {

namespace dns = wire::dns;
using base::text::Family;
using dns::Name;
using steering::Trace;

void append16(std::vector<std::uint8_t>& out, std::size_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
}

/// The query a resolver would send (RFC 1035 section 4.1, RFC 6891, RFC 7871 section 6).
std::vector<std::uint8_t> make_query(const ExplainQuestion& question) {
    std::vector<std::uint8_t> out{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    const auto name = question.name.wire();
    out.insert(out.end(), name.begin(), name.end());
    append16(out, question.type);
    append16(out, dns::kClassIn);
    out.push_back(0);
    append16(out, dns::type::opt);
    append16(out, 1232);
    append16(out, 0);
    append16(out, 0);
    if (!question.subnet) {
        append16(out, 0);
        return out;
    }
    const auto& subnet = *question.subnet;
    const std::size_t address_bytes = (std::size_t{subnet.length} + 7) / 8;
    append16(out, 8 + address_bytes);
    append16(out, dns::option::client_subnet);
    append16(out, 4 + address_bytes);
    append16(out, subnet.address.family == Family::v4 ? 1 : 2);
    append16(out, std::size_t{subnet.length} << 8);
    out.insert(
        out.end(),
        subnet.address.bytes.begin(),
        subnet.address.bytes.begin() + static_cast<std::ptrdiff_t>(address_bytes)
    );
    return out;
}

/// The scope of the client subnet option in an OPT record's data.
std::optional<unsigned> find_scope(std::span<const std::uint8_t> options) {
    dns::Reader reader(options);
    while (reader.remaining() > 0) {
        const auto code = reader.u16();
        const auto data = reader.bytes(reader.u16());
        if (code == dns::option::client_subnet && data.size() >= 4) return data[3];
    }
    return std::nullopt;
}

/// Takes answer, TTL, RCODE and scope from the reply.
void take_reply(std::span<const std::uint8_t> message, Explanation& out) {
    dns::Reader reader(message);
    reader.u16();
    unsigned rcode = reader.u16() & 0xfU;
    const unsigned questions = reader.u16();
    const unsigned answers = reader.u16();
    const unsigned others = unsigned{reader.u16()} + reader.u16();
    for (unsigned i = 0; i < questions; ++i) {
        reader.skip_name();
        reader.u32();
    }
    std::optional<std::uint32_t> ttl;
    for (unsigned i = 0; i < answers + others; ++i) {
        const auto record = dns::read_record(reader);
        if (reader.failed()) break;
        if (i < answers) {
            out.answers.push_back(
                rdata_to_text(record.type, message, record.rdata_offset, record.rdata.size())
            );
            ttl = std::min(ttl.value_or(record.ttl), record.ttl);
        } else if (record.type == dns::type::opt) {
            rcode |= record.ttl >> 24 << 4;
            out.scope = find_scope(record.rdata);
        } else if (record.type == dns::type::soa && answers == 0) {
            ttl = record.ttl;
        }
    }
    out.ttl_s = ttl.value_or(0);
    out.rcode = static_cast<dns::Rcode>(rcode);
}

void ask(const answer::Snapshot& snapshot, Explanation& out) {
    answer::Random random(snapshot.version());
    answer::Counters counters;
    // As over TCP, so that a long answer is shown whole.
    const answer::Context context{out.asked.client, answer::Transport::tcp, 1232, random, counters};
    std::vector<std::uint8_t> reply(dns::kMaxMessageBytes);
    const auto query = make_query(out.asked);
    reply.resize(answer::answer(context, snapshot, query, reply));
    take_reply(reply, out);
}

/// The number of the policy that decides the addresses of `name`. Goes the way of the server, and
/// not by the owners in a reply: those of a wildcard are the name asked for (RFC 4592), and the end
/// of a CNAME without data has none.
std::optional<std::size_t> find_policy(const Name& name, const zone::Index& index) {
    using enum zone::Index::MatchKind;
    constexpr unsigned kMaxChain = 16;  // as in the answer
    const auto match = index.match(dns::make_key(name));
    if (match.kind != exact && match.kind != wildcard) return std::nullopt;
    const auto* node = match.node;
    if (node->referral != zone::kNone) return std::nullopt;
    for (unsigned length = 0; node->has_cname; ++length) {
        if (length == kMaxChain || node->cname_end != zone::CnameEnd::node) return std::nullopt;
        node = &index.node(node->cname_next);
    }
    if (node->steered == zone::kNone) return std::nullopt;
    return node->steered;
}

const char* words_for(steering::Precedence precedence) {
    switch (precedence) {
        case steering::Precedence::override_:
            return "an operator's override";
        case steering::Precedence::control:
            return "control of the switchover server";
        case steering::Precedence::health:
            return "health";
        case steering::Precedence::none:
            break;
    }
    return "the order of sites alone";
}

std::string describe_stage(const Trace::Stage& stage) {
    std::string out = stage.filter + ": ";
    out += stage.kept.empty() ? "keeps nothing" : "keeps " + base::text::join(stage.kept, ", ");
    std::vector<std::string> dropped;
    for (const auto& drop : stage.dropped)
        dropped.push_back(drop.target + " (" + drop.reason + ")");
    if (!dropped.empty()) out += "; drops " + base::text::join(dropped, ", ");
    if (!stage.note.empty()) out += "; " + stage.note;
    return out;
}

std::string describe_answer(const Explanation& from) {
    std::string out = "answer: ";
    out += from.answers.empty() ? "no record" : base::text::join(from.answers, ", ");
    if (from.drawn) out += " (drawn by weight, another query may get another)";
    out += "; " + rcode_to_string(from.rcode) + ", TTL " + std::to_string(from.ttl_s) + " s";
    if (!from.trace.ttl_note.empty()) out += " (" + from.trace.ttl_note + ")";
    if (from.scope) out += ", scope /" + std::to_string(*from.scope);
    return out + ", snapshot " + std::to_string(from.snapshot);
}

}  // namespace

Explanation explain(
    const ExplainQuestion& question,
    const answer::Snapshot& snapshot,
    const answer::ServiceStates& states
) {
    Explanation out;
    out.asked = question;
    out.snapshot = snapshot.version();
    ask(snapshot, out);
    const bool addresses = question.type == dns::type::a || question.type == dns::type::aaaa;
    const auto& steering = snapshot.steering();
    const auto number = find_policy(question.name, snapshot.index());
    if (!addresses || !number) return out;

    const auto& policy = steering.policies[*number];
    // Source length 0 means "do not use my client's address" (RFC 7871 section 7.1.2).
    const bool by_subnet = question.subnet && question.subnet->length > 0;
    const auto match =
        snapshot.prefixes().find(by_subnet ? question.subnet->address : question.client);
    const auto plan = steering::decide(
        steering,
        policy,
        states[policy.service],
        snapshot.prefixes().classes()[match.class_id],
        question.type == dns::type::a ? Family::v4 : Family::v6,
        &out.trace
    );
    out.steered = *dns::parse_name(policy.owner);
    out.sites = out.trace.sites;
    out.prefix_length = match.depth;
    out.drawn = plan.mode == steering::PlanMode::weighted_one && plan.members.size() > 1;
    return out;
}

std::vector<std::string> describe(const Explanation& from) {
    const auto& asked = from.asked;
    std::vector<std::string> out;
    out.push_back(
        asked.name.to_string() + " " + dns::type_to_string(asked.type) + " for " +
        (asked.subnet ? "clients of " + to_string(*asked.subnet) + ", asked by " : std::string()) +
        to_string(asked.client)
    );
    if (!from.steered) {
        out.push_back("not steered: the records are those of the zone");
    } else {
        if (*from.steered != asked.name)
            out.push_back("steered name behind it: " + from.steered->to_string());
        out.push_back(
            "client class: prefers " + base::text::join(from.sites, ", ") +
            ", like its whole network of /" + std::to_string(from.prefix_length.value_or(0))
        );
        for (const auto& stage : from.trace.stages) out.push_back(describe_stage(stage));
    }
    out.push_back(describe_answer(from));
    if (from.steered) out.push_back(std::string("decided by ") + words_for(from.trace.precedence));
    out.insert(out.end(), from.notes.begin(), from.notes.end());
    return out;
}

}  // namespace twinsite::gslb::control
