// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_all(Chain& chain) {
    if (!chain.kept.empty()) chain.note("all that are left are answered");
}

}  // namespace twinsite::gslb::steering
