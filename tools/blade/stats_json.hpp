// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/blade/charging.hpp"

namespace twinsite::tools::blade {

struct LinkStats {
    std::uint64_t accepted = 0;      ///< connections
    std::uint64_t open = 0;          ///< now
    std::uint64_t bad_streams = 0;   ///< closed because they could not be framed
    std::uint64_t lost_answers = 0;  ///< not sent, their link was gone
};

/// One JSON object, one line, no newline.
std::string to_json(
    const ChargingStats& charging, std::size_t open_sessions, const LinkStats& links
);

}  // namespace twinsite::tools::blade
