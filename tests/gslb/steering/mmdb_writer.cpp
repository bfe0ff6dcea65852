// SPDX-License-Identifier: Apache-2.0
#include "tests/gslb/steering/mmdb_writer.hpp"

#include <bit>

namespace twinsite::tests {
namespace {

std::string big_endian(std::uint64_t value, unsigned bytes) {
    std::string out;
    for (unsigned i = bytes; i > 0; --i) out += static_cast<char>(value >> (i - 1) * 8);
    return out;
}

std::string control(unsigned type, std::size_t size) {
    const std::size_t shown = size < 29 ? size : 29;
    std::string out(1, static_cast<char>((type < 8 ? type : 0) << 5 | shown));
    if (type >= 8) out += static_cast<char>(type - 7);
    if (size >= 29) out += static_cast<char>(size - 29);
    return out;
}

std::string small_number(std::uint16_t value) {
    return control(5, 2) + big_endian(value, 2);
}

}  // namespace

std::string MmdbWriter::text(const std::string& value) {
    return control(2, value.size()) + value;
}
std::string MmdbWriter::real(double value) {
    return control(3, 8) + big_endian(std::bit_cast<std::uint64_t>(value), 8);
}
std::string MmdbWriter::number(std::uint32_t value) {
    return control(6, 4) + big_endian(value, 4);
}
std::string MmdbWriter::map(const std::vector<Bytes>& members) {
    std::string out = control(7, members.size() / 2);
    for (const auto& member : members) out += member;
    return out;
}
std::string MmdbWriter::list(const std::vector<Bytes>& members) {
    std::string out = control(11, members.size());
    for (const auto& member : members) out += member;
    return out;
}

std::vector<bool> MmdbWriter::bits_of(const base::text::IpPrefix& prefix) const {
    std::vector<bool> out;
    if (version_ == 6 && prefix.address.family == base::text::Family::v4) out.resize(96, false);
    for (unsigned i = 0; i < prefix.length; ++i)
        out.push_back((prefix.address.bytes[i / 8] >> (7 - i % 8) & 1) != 0);
    return out;
}

MmdbWriter::Side& MmdbWriter::side_of(const std::vector<bool>& bits) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i + 1 < bits.size(); ++i) {
        Side side = nodes_[at].sides[bits[i]];
        if (side.node == kEmpty) {
            const auto fresh = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
            // What the whole block had, its halves have.
            nodes_[fresh].sides[0].data = nodes_[fresh].sides[1].data = side.data;
            nodes_[at].sides[bits[i]] = side = {fresh, kEmpty};
        }
        at = side.node;
    }
    return nodes_[at].sides[bits.back()];
}

void MmdbWriter::add(const base::text::IpPrefix& prefix, const Bytes& record) {
    const auto offset = static_cast<std::uint32_t>(data_.size());
    data_ += record;
    side_of(bits_of(prefix)) = {kEmpty, offset};
}

void MmdbWriter::alias_v4(const base::text::IpPrefix& prefix) {
    const std::vector<bool> zeros(96, false);
    side_of(bits_of(prefix)) = side_of(zeros);
}

std::string MmdbWriter::file() const {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    std::string out;
    for (const Node& node : nodes_)
        for (const Side& side : node.sides) {
            if (side.node != kEmpty)
                out += big_endian(side.node, 4);
            else
                out += big_endian(side.data == kEmpty ? count : count + 16 + side.data, 4);
        }
    out += std::string(16, '\0') + data_ + "\xAB\xCD\xEFMaxMind.com";
    out += map(
        {text("node_count"),
         number(count),
         text("record_size"),
         small_number(32),
         text("ip_version"),
         small_number(static_cast<std::uint16_t>(version_)),
         text("database_type"),
         text("Test"),
         text("languages"),
         list({}),
         text("binary_format_major_version"),
         small_number(2),
         text("binary_format_minor_version"),
         small_number(0),
         text("build_epoch"),
         control(9, 8) + big_endian(1, 8),
         text("description"),
         map({})}
    );
    return out;
}

}  // namespace twinsite::tests
