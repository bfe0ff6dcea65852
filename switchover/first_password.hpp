// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error/result.hpp"
#include "switchover/lead/leader.hpp"

namespace twinsite::switchover {

/// When there is no user yet: makes `admin` with a one-time password, which is written to `file`
/// (for its owner alone) and nowhere else. An empty `file`: nothing is made.
base::Result<void> make_first_user(
    store::Store& store, lead::Leader& leader, const std::string& file
);

}  // namespace twinsite::switchover
