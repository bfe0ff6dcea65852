// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "wire/group/error.hpp"

/// The protocol between the gslbs of a group (docs/protocol/group.md): frames over mutual TLS.
namespace twinsite::wire::group {

/// Versions of the protocol that this program speaks: its own and the one before. Version 2 added
/// the comparison of decisions.
inline constexpr std::uint8_t kFirstVersion = 1;
inline constexpr std::uint8_t kLastVersion = 2;

/// What a frame's payload is. Kinds that a receiver does not know are skipped.
enum class Kind : std::uint8_t {
    hello = 1,          ///< first frame of either side: who, and which versions
    heartbeat = 2,      ///< each second
    digest = 3,         ///< each five seconds: a hash for each kind of state
    pull = 4,           ///< asks for what a digest showed to be missing
    overrides = 5,      ///< operators' overrides, each with its stamp
    observations = 6,   ///< the sender's own health votes
    loads = 7,          ///< load reports of agents, relayed
    secrets = 8,        ///< DNS cookie secrets
    fences = 9,         ///< the highest fences of switchover servers
    intent_offer = 10,  ///< the header of the bundle in force
    intent_part = 11,   ///< a piece of a bundle
    decisions = 12,     ///< hashes of inputs and answers for each policy
};

/// Length (4 bytes, of all that follows), version, kind, two zero bytes, payload.
inline constexpr std::size_t kFrameHeaderBytes = 8;
/// Largest payload.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1024} * 1024;

struct Frame {
    std::uint8_t version = kLastVersion;
    Kind kind = Kind::heartbeat;
    std::string payload;  ///< JSON

    bool operator==(const Frame&) const = default;
};

/// `frame.payload` is at most kMaxPayloadBytes.
std::string encode(const Frame& frame);

/// Finds the frames in a stream of bytes.
class FrameReader {
public:
    void feed(std::string_view bytes);
    /// The next whole frame; nullopt when more bytes are needed. After an error (frame_too_large,
    /// unknown_version) the stream cannot be read on.
    base::Result<std::optional<Frame>> next();
    std::size_t buffered() const { return buffer_.size() - at_; }

private:
    std::string buffer_;
    std::size_t at_ = 0;
};

/// The highest version that both sides speak; nullopt when there is none.
std::optional<std::uint8_t> agree(
    std::uint8_t own_first, std::uint8_t own_last, std::uint8_t peer_first, std::uint8_t peer_last
);

}  // namespace twinsite::wire::group
