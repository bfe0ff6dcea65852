// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twinsite::base::daemon {

/// Raises this process's soft limit of open descriptors (RLIMIT_NOFILE, getrlimit(2)) to its hard
/// one. The usual soft limit of 1024 is for programs that use select(2), which we do not. A refusal
/// is ignored: the old limit then holds, and running into it is an error of each open.
void raise_descriptor_limit();

}  // namespace twinsite::base::daemon
