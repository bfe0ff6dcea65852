// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/builder.hpp"

#include <algorithm>

#include "base/error/check.hpp"

namespace twinsite::wire::diameter {
namespace {

constexpr std::size_t kAvpHeaderBytes = 8;

}  // namespace

MessageBuilder::MessageBuilder(std::vector<std::uint8_t>& out, const Header& header)
    : out_(out), start_(out.size()) {
    encode_header(header, kHeaderBytes, append(kHeaderBytes));
}

std::uint8_t* MessageBuilder::append(std::size_t bytes) {
    const std::size_t at = out_.size();
    out_.resize(at + bytes);  // new bytes are zero: padding comes for free
    return out_.data() + at;
}

std::uint8_t* MessageBuilder::append_avp(
    std::uint32_t code, std::uint8_t flags, std::size_t data_bytes
) {
    std::uint8_t* const at = append(padded(kAvpHeaderBytes + data_bytes));
    store_u32(at, code);
    at[4] = flags;
    store_u24(at + 5, static_cast<std::uint32_t>(kAvpHeaderBytes + data_bytes));
    return at + kAvpHeaderBytes;
}

MessageBuilder& MessageBuilder::bytes(
    std::uint32_t code, std::span<const std::uint8_t> data, std::uint8_t flags
) {
    std::copy(data.begin(), data.end(), append_avp(code, flags, data.size()));
    return *this;
}

MessageBuilder& MessageBuilder::text(
    std::uint32_t code, std::string_view data, std::uint8_t flags
) {
    return bytes(code, as_bytes(data), flags);
}

MessageBuilder& MessageBuilder::u32(std::uint32_t code, std::uint32_t value, std::uint8_t flags) {
    store_u32(append_avp(code, flags, 4), value);
    return *this;
}

MessageBuilder& MessageBuilder::u64(std::uint32_t code, std::uint64_t value, std::uint8_t flags) {
    store_u64(append_avp(code, flags, 8), value);
    return *this;
}

MessageBuilder& MessageBuilder::address(std::uint32_t code, std::span<const std::uint8_t> address) {
    BASE_CHECK(address.size() == 4 || address.size() == 16);
    std::uint8_t* const at = append_avp(code, avp_flag::kMandatory, 2 + address.size());
    at[1] = address.size() == 4 ? 1 : 2;  // IANA address family numbers
    std::copy(address.begin(), address.end(), at + 2);
    return *this;
}

MessageBuilder& MessageBuilder::copy(std::span<const std::uint8_t> whole_avp) {
    std::copy(whole_avp.begin(), whole_avp.end(), append(padded(whole_avp.size())));
    return *this;
}

std::size_t MessageBuilder::open(std::uint32_t code, std::uint8_t flags) {
    const std::size_t position = out_.size();
    append_avp(code, flags, 0);
    return position;
}

MessageBuilder& MessageBuilder::close(std::size_t position) {
    store_u24(out_.data() + position + 5, static_cast<std::uint32_t>(out_.size() - position));
    return *this;
}

std::size_t MessageBuilder::finish() {
    const std::size_t length = out_.size() - start_;
    BASE_CHECK(length <= kMaxMessageBytes);
    store_u24(out_.data() + start_ + 1, static_cast<std::uint32_t>(length));
    return length;
}

}  // namespace twinsite::wire::diameter
