// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/mac.hpp"
#include "wire/dns/name.hpp"

/// Transaction signatures (RFC 8945). Pure: the time is passed in, as seconds since 1970.
namespace twinsite::gslb::transfer {

struct TsigKey {
    wire::dns::Name name;
    base::crypto::MacAlgorithm algorithm = base::crypto::MacAlgorithm::hmac_sha256;
    std::string secret;  ///< raw bytes

    bool operator==(const TsigKey&) const = default;
};

/// "hmac-sha256", ... (section 6) to the algorithm; nullopt for others.
std::optional<base::crypto::MacAlgorithm> parse_tsig_algorithm(std::string_view name);

/// What the error field says (section 3).
enum class TsigError : std::uint16_t {
    none = 0,
    bad_signature = 16,
    bad_key = 17,
    bad_time = 18,
    bad_truncation = 22,
};
const char* to_string(TsigError error) noexcept;

/// A TSIG record as it stands at the end of a message.
struct Tsig {
    std::size_t offset = 0;  ///< where the record begins
    wire::dns::Name key;
    wire::dns::Name algorithm;
    std::uint64_t time_s = 0;
    std::uint16_t fudge_s = 0;
    std::vector<std::uint8_t> mac;
    std::uint16_t original_id = 0;
    std::uint16_t error = 0;
    std::vector<std::uint8_t> other;
};

enum class TsigForm : std::uint8_t {
    absent,
    good,
    malformed,  ///< not last, or twice, or not as it must be: FORMERR (section 5.2)
};
/// Looks for a TSIG in any well-formed message.
TsigForm read_tsig(std::span<const std::uint8_t> message, Tsig& out);

/// The message as it was before it was signed: without the record, with its original identifier.
std::vector<std::uint8_t> without_tsig(std::span<const std::uint8_t> message, const Tsig& tsig);

/// Appends a TSIG with an error and no MAC (section 5.3.2). False when it does not fit into `room`.
bool append_tsig_error(
    std::span<std::uint8_t> room,
    std::size_t& size,
    const Tsig& request,
    TsigError error,
    std::uint64_t now_s
);

/// One request and the messages that answer it, from either side: sign or verify the request
/// first, then the others in their order. Each MAC includes the one before (section 5.3.1).
class TsigSession {
public:
    static constexpr std::uint16_t kFudgeSeconds = 300;
    /// Bytes that sign() adds at most.
    std::size_t room_bytes() const;

    explicit TsigSession(TsigKey key) : key_(std::move(key)) {}
    const TsigKey& key() const { return key_; }

    /// Signs the first `size` bytes of `room`; `size` grows. False when there is no room.
    /// `error`: bad_time only, which is sent signed and with our time.
    bool sign(
        std::span<std::uint8_t> room,
        std::size_t& size,
        std::uint64_t now_s,
        TsigError error = TsigError::none
    );

    /// Checks the next message. Messages without a TSIG are right after the first answer only, at
    /// most 99 in a row (section 5.3.1): see is_complete().
    TsigError verify(std::span<const std::uint8_t> message, std::uint64_t now_s);
    /// Whether the last message that was verified had a TSIG: only then is what came the whole.
    bool is_complete() const { return unsigned_.empty(); }

private:
    std::vector<std::uint8_t> mac_of(std::span<const std::uint8_t> message, const Tsig& tsig) const;

    TsigKey key_;
    std::vector<std::uint8_t> previous_;  // the MAC before
    std::vector<std::uint8_t> unsigned_;  // messages since then
    std::size_t unsigned_count_ = 0;
    std::uint64_t verified_time_s_ = 0;
    std::size_t done_ = 0;  // messages with a TSIG: 0 before the request
};

}  // namespace twinsite::gslb::transfer
