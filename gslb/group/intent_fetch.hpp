// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wire/group/message.hpp"

namespace twinsite::gslb::group {

/// A bundle's content on its way from a peer, asked for piece by piece. Pure.
class IntentFetch {
public:
    explicit IntentFetch(wire::group::IntentHeader header);

    const wire::group::IntentHeader& header() const { return header_; }
    wire::group::Pull next_pull() const;
    /// False when the piece does not fit; then the peer is not to be trusted with this bundle.
    /// A piece that was asked for by somebody else, or twice, is passed over.
    bool take(const wire::group::IntentPart& part);
    bool complete() const { return content_.size() == header_.bytes; }
    const std::string& content() const { return content_; }

private:
    wire::group::IntentHeader header_;
    std::string hash_;
    std::string content_;
};

}  // namespace twinsite::gslb::group
