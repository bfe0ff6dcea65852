// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

void apply_rotate(Chain& chain) {
    chain.drawing = Drawing::rotate;
    if (!chain.kept.empty()) chain.note("each query begins at another record");
}

}  // namespace twinsite::gslb::steering
