// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error/result.hpp"
#include "switchover/lead/leader.hpp"

namespace twinsite::switchover {

/// A store that was restored from a copy, moved or begun anew has a fence that members have seen
/// already, or a higher one: they refuse its server. Whoever restored it says so by a file: its
/// content is the generation to reach (at most 1000000), nothing means the next one. Raises the
/// generation, writes a line in the audit and removes the file. No file: nothing happens.
base::Result<void> raise_generation_as_asked(lead::Leader& leader, const std::string& file);

}  // namespace twinsite::switchover
