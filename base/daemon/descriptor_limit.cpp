// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/descriptor_limit.hpp"

#include <sys/resource.h>

namespace twinsite::base::daemon {

void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    // EPERM where a sandbox forbids it, or the hard limit is above that of the system.
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace twinsite::base::daemon
