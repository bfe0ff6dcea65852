// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/http/message.hpp"
#include "base/http/router.hpp"
#include "gslb/zone/key_book.hpp"
#include "wire/dns/name.hpp"

/// Keys of signed zones in the control API (docs/operator/dnssec.md).
namespace twinsite::gslb::control {

/// What is known of the keys of one zone.
struct KeyView {
    zone::KeyBook book;  ///< on the disk
    zone::RollTimes times;
    bool is_served = false;           ///< the answers are signed by this book
    std::vector<std::uint16_t> here;  ///< tags of the keys whose private part is here
    std::vector<std::string> ds;      ///< records for the parent, as text
    std::uint32_t serial = 0;         ///< as served
    zone::UnixTime now = 0;
    zone::UnixTime refresh_at = 0;  ///< when the first signature is made anew
    std::size_t variants = 0;       ///< signatures of steered answers that are ready
};

struct KeyCommand {
    enum class Kind : std::uint8_t { roll, step, cancel };
    Kind kind = Kind::roll;
    zone::KeyRole role = zone::KeyRole::zsk;  ///< roll
    bool automatic = false;                   ///< roll
    bool ds_seen = false;                     ///< step
};

/// All on the helm's thread.
struct KeySeams {
    std::function<std::vector<KeyView>()> list;
    /// Writes the change to the disk and has the zone signed by it soon; or says why not.
    std::function<std::string(const wire::dns::Name& zone, const KeyCommand& command)> command;
};

base::http::Response list_keys(const KeySeams& seams);
base::http::Response show_keys(const KeySeams& seams, const base::http::PathParameters& parameters);
base::http::Response command_keys(
    const KeySeams& seams,
    KeyCommand::Kind kind,
    const base::http::Request& request,
    const base::http::PathParameters& parameters
);

}  // namespace twinsite::gslb::control
