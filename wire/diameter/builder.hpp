// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/diameter/dictionary.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::wire::diameter {

/// Appends one message to a vector; several builders in a row make a batch for one write.
/// Padding is zero and never counted in an AVP's length (RFC 6733 section 4.1). All AVPs of the
/// base and credit control applications carry the M flag unless said otherwise.
class MessageBuilder {
public:
    /// `out` outlives the builder; nothing else may append to it before `finish`.
    MessageBuilder(std::vector<std::uint8_t>& out, const Header& header);

    MessageBuilder& bytes(
        std::uint32_t code,
        std::span<const std::uint8_t> data,
        std::uint8_t flags = avp_flag::kMandatory
    );
    MessageBuilder& text(
        std::uint32_t code, std::string_view data, std::uint8_t flags = avp_flag::kMandatory
    );
    MessageBuilder& u32(
        std::uint32_t code, std::uint32_t value, std::uint8_t flags = avp_flag::kMandatory
    );
    MessageBuilder& u64(
        std::uint32_t code, std::uint64_t value, std::uint8_t flags = avp_flag::kMandatory
    );
    /// Address type of RFC 6733 section 4.3.1; `address` has 4 bytes (IPv4) or 16 (IPv6).
    MessageBuilder& address(std::uint32_t code, std::span<const std::uint8_t> address);
    /// An AVP as it stood in another message: header and data; padding is added.
    MessageBuilder& copy(std::span<const std::uint8_t> whole_avp);

    /// A Grouped AVP around what is added until `close(position)`.
    [[nodiscard]] std::size_t open(std::uint32_t code, std::uint8_t flags = avp_flag::kMandatory);
    MessageBuilder& close(std::size_t position);

    /// Fills in the message length and returns it.
    std::size_t finish();

private:
    std::uint8_t* append(std::size_t bytes);
    std::uint8_t* append_avp(std::uint32_t code, std::uint8_t flags, std::size_t data_bytes);

    std::vector<std::uint8_t>& out_;
    const std::size_t start_;
};

}  // namespace twinsite::wire::diameter
