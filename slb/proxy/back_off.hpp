// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "slb/balance/random.hpp"

namespace twinsite::slb::proxy {

/// How long to wait before dialling again: full jitter below a ceiling that doubles from `min` to
/// `max`. The ceiling is cut first and the jitter drawn after, so that peers never fall into step.
class BackOff {
public:
    using milliseconds = std::chrono::milliseconds;

    milliseconds next(milliseconds min, milliseconds max, balance::Random& random) {
        const auto ceiling = std::min(max, min * (std::int64_t{1} << std::min(failures_, 20u)));
        ++failures_;
        return draw(ceiling, random);
    }
    /// After a peer asked us not to come back soon: the longest wait.
    static milliseconds longest(milliseconds max, balance::Random& random) {
        return max / 2 + draw(max / 2, random);
    }
    void reset() { failures_ = 0; }

private:
    static milliseconds draw(milliseconds ceiling, balance::Random& random) {
        return milliseconds(random.below(static_cast<std::uint32_t>(ceiling.count()) + 1));
    }
    unsigned failures_ = 0;
};

}  // namespace twinsite::slb::proxy
