// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/dns_question.hpp"

#include <array>

#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/reader.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::switchover::execute {

namespace dns = wire::dns;

namespace {

constexpr std::uint16_t kUdpPayload = 1'232;  // what fits into IPv6's smallest MTU
constexpr unsigned kMaxAnswers = 64;

void write_subnet(dns::Writer& out, const base::text::IpPrefix& client) {
    constexpr std::size_t kBitsPerByte = 8;
    const std::size_t bytes = (client.length + kBitsPerByte - 1) / kBitsPerByte;
    out.u16(dns::option::client_subnet);
    out.u16(static_cast<std::uint16_t>(4 + bytes));
    out.u16(client.address.family == base::text::Family::v4 ? 1 : 2);
    out.u8(client.length);
    out.u8(0);
    out.bytes({client.address.bytes.data(), bytes});
}

}  // namespace

std::vector<std::uint8_t> encode_dns_question(
    std::uint16_t id, const std::string& name, const std::optional<base::text::IpPrefix>& client
) {
    const auto owner = dns::parse_name(name);
    if (!owner) return {};
    std::array<std::uint8_t, dns::kMaxUdpWithoutEdns> buffer{};
    dns::Writer out(buffer);
    out.u16(id);
    out.u16(0);  // a plain query
    out.u16(1);
    out.u16(0);
    out.u16(0);
    out.u16(1);  // OPT
    out.name(*owner);
    out.u16(dns::type::a);
    out.u16(dns::kClassIn);
    out.u8(0);
    out.u16(dns::type::opt);
    out.u16(kUdpPayload);
    out.u32(0);
    const auto length_at = out.size();
    out.u16(0);
    if (client) write_subnet(out, *client);
    out.patch16(length_at, static_cast<std::uint16_t>(out.size() - length_at - 2));
    if (out.failed()) return {};
    return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(out.size())};
}

base::Result<DnsAnswer> decode_dns_answer(
    std::span<const std::uint8_t> reply, std::uint16_t id, const std::string& name
) {
    const auto bad = make_error_code(boost::system::errc::bad_message);
    const auto owner = dns::parse_name(name);
    dns::Reader in(reply);
    const auto got_id = in.u16();
    const auto flags = in.u16();
    const auto questions = in.u16();
    const auto answers = in.u16();
    in.u32();
    if (!owner || in.failed() || got_id != id || (flags & dns::flag::qr) == 0 || questions != 1)
        return bad;
    const auto asked = in.name();
    const auto type = in.u16();
    const auto klass = in.u16();
    if (in.failed() || asked != *owner || type != dns::type::a || klass != dns::kClassIn)
        return bad;
    DnsAnswer out;
    out.rcode = dns::rcode_to_string(static_cast<dns::Rcode>(flags & 0xf));
    for (unsigned i = 0; i < answers && i < kMaxAnswers; ++i) {
        in.skip_name();
        const auto answer_type = in.u16();
        const auto answer_class = in.u16();
        in.u32();
        const auto data = in.bytes(in.u16());
        if (in.failed()) return bad;
        if (answer_type != dns::type::a || answer_class != dns::kClassIn || data.size() != 4)
            continue;
        base::text::IpAddress address;
        std::copy(data.begin(), data.end(), address.bytes.begin());
        out.addresses.push_back(address);
    }
    return out;
}

}  // namespace twinsite::switchover::execute
