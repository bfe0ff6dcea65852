// SPDX-License-Identifier: Apache-2.0
#include "wire/group/frame.hpp"

#include <algorithm>

namespace twinsite::wire::group {
namespace {

/// Bytes behind the length that are no payload: version, kind, two zero bytes.
constexpr std::size_t kFixedBytes = kFrameHeaderBytes - 4;

std::size_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

}  // namespace

std::string encode(const Frame& frame) {
    const std::size_t length = frame.payload.size() + kFixedBytes;
    std::string out;
    out.reserve(length + 4);
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>(static_cast<unsigned char>(length >> shift)));
    out.push_back(static_cast<char>(frame.version));
    out.push_back(static_cast<char>(frame.kind));
    out.append(2, '\0');
    out += frame.payload;
    return out;
}

void FrameReader::feed(std::string_view bytes) {
    // What was read is given up only now and then: erasing after each frame would move the rest.
    if (at_ > 0 && at_ * 2 >= buffer_.size()) {
        buffer_.erase(0, at_);
        at_ = 0;
    }
    buffer_ += bytes;
}

base::Result<std::optional<Frame>> FrameReader::next() {
    const auto rest = std::string_view(buffer_).substr(at_);
    if (rest.size() < 4) return std::optional<Frame>();
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | byte_at(rest, i);
    if (length < kFixedBytes || length > kFixedBytes + kMaxPayloadBytes)
        return Errc::frame_too_large;
    if (rest.size() < 4 + length) return std::optional<Frame>();
    Frame out;
    out.version = static_cast<std::uint8_t>(rest[4]);
    out.kind = static_cast<Kind>(rest[5]);
    // A hello tells the versions, so its own must not matter.
    const bool spoken = out.version >= kFirstVersion && out.version <= kLastVersion;
    if (!spoken && out.kind != Kind::hello) return Errc::unknown_version;
    out.payload = rest.substr(kFrameHeaderBytes, length - kFixedBytes);
    at_ += 4 + length;
    return std::optional<Frame>(std::move(out));
}

std::optional<std::uint8_t> agree(
    std::uint8_t own_first, std::uint8_t own_last, std::uint8_t peer_first, std::uint8_t peer_last
) {
    const auto first = std::max(own_first, peer_first);
    const auto last = std::min(own_last, peer_last);
    if (first > last) return std::nullopt;
    return last;
}

}  // namespace twinsite::wire::group
