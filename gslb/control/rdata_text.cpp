// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/rdata_text.hpp"

#include <array>
#include <cstdio>
#include <optional>

#include "base/text/ip.hpp"
#include "base/text/text.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

namespace twinsite::gslb::control {
namespace {

namespace type = wire::dns::type;
using wire::dns::Reader;

std::string number(std::uint32_t value) {
    return std::to_string(value);
}

std::optional<std::string> address(Reader& reader, std::size_t size) {
    const auto bytes = reader.bytes(size);
    if (reader.failed()) return std::nullopt;
    if (size == 4)
        return to_string(base::text::IpAddress::from_v4(wire::dns::load32(bytes.data())));
    return to_string(base::text::IpAddress::from_v6(bytes.data()));
}

/// A character-string in quotes (RFC 1035 section 5.1).
std::string quoted(std::span<const std::uint8_t> bytes) {
    std::string out = "\"";
    for (const auto byte : bytes) {
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += static_cast<char>(byte);
        } else if (byte >= 0x20 && byte < 0x7f) {
            out += static_cast<char>(byte);
        } else {
            std::array<char, 5> escape{};
            std::snprintf(escape.data(), escape.size(), "\\%03u", static_cast<unsigned>(byte));
            out += escape.data();
        }
    }
    return out + "\"";
}

std::string texts(Reader& reader, std::size_t end) {
    std::string out;
    while (!reader.failed() && reader.offset() < end) {
        const std::size_t size = reader.u8();
        if (!out.empty()) out += " ";
        out += quoted(reader.bytes(size));
    }
    return out;
}

std::string soa(Reader& reader) {
    std::string out = reader.name().to_string();
    out += " " + reader.name().to_string();
    for (int i = 0; i < 5; ++i) out += " " + number(reader.u32());
    return out;
}

std::string srv(Reader& reader) {
    std::string out;
    for (int i = 0; i < 3; ++i) out += number(reader.u16()) + " ";
    return out + reader.name().to_string();
}

std::string naptr(Reader& reader) {
    std::string out = number(reader.u16());
    out += " " + number(reader.u16());
    for (int i = 0; i < 3; ++i) {
        const std::size_t size = reader.u8();
        out += " " + quoted(reader.bytes(size));
    }
    return out + " " + reader.name().to_string();
}

/// Whatever form the type has; nullopt when it has none here.
std::optional<std::string> known_form(std::uint16_t type, Reader& reader, std::size_t size) {
    const auto end = reader.offset() + size;
    switch (type) {
        case type::a:
            return size == 4 ? address(reader, size) : std::nullopt;
        case type::aaaa:
            return size == 16 ? address(reader, size) : std::nullopt;
        case type::ns:
        case type::cname:
        case type::ptr:
        case type::dname:
            return reader.name().to_string();
        case type::mx: {
            const auto preference = number(reader.u16());
            return preference + " " + reader.name().to_string();
        }
        case type::soa:
            return soa(reader);
        case type::txt:
            return texts(reader, end);
        case type::srv:
            return srv(reader);
        case type::naptr:
            return naptr(reader);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::string rdata_to_text(
    std::uint16_t type,
    std::span<const std::uint8_t> message,
    std::size_t offset,
    std::size_t size_bytes
) {
    if (offset > message.size() || size_bytes > message.size() - offset) return "";
    Reader reader(message.first(offset + size_bytes), offset);
    auto out = known_form(type, reader, size_bytes);
    if (out && !reader.failed() && reader.remaining() == 0) return *std::move(out);
    std::string generic = "\\# " + std::to_string(size_bytes);
    if (size_bytes > 0) generic += " " + base::text::to_hex(message.data() + offset, size_bytes);
    return generic;
}

}  // namespace twinsite::gslb::control
