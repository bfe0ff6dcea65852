// SPDX-License-Identifier: Apache-2.0
#include "base/error/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace twinsite::base {

void check_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
    std::abort();
}

}  // namespace twinsite::base
