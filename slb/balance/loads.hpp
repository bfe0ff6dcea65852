// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinsite::slb::balance {

/// What a balancer knows of one blade. `outstanding` counts requests sent minus requests that
/// ended: by their answer, by time-out or with the link. Adding a blade resets nobody's count.
struct Load {
    std::uint32_t outstanding = 0;
    bool eligible = false;  ///< may get new sessions now
};

/// The loads of a shard's blades by blade index: the one place where the counters change, so that
/// none can leak. Owned by one shard thread.
class Loads {
public:
    void resize(std::size_t blades) { loads_.resize(blades); }
    void set_eligible(std::uint16_t blade, bool eligible) { loads_[blade].eligible = eligible; }
    void sent(std::uint16_t blade) { ++loads_[blade].outstanding; }
    /// The answer came, or nobody waits for it any more.
    void ended(std::uint16_t blade) { --loads_[blade].outstanding; }

    const Load& operator[](std::uint16_t blade) const { return loads_[blade]; }
    const std::vector<Load>& all() const { return loads_; }

private:
    std::vector<Load> loads_;
};

}  // namespace twinsite::slb::balance
