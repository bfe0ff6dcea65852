// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twinsite::base {

/// Prints the broken invariant to standard error and aborts; the service manager restarts us.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace twinsite::base

/// A broken invariant of our own. Never for input from outside: that gets an error value.
#define BASE_CHECK(condition)           \
    ((condition) ? static_cast<void>(0) \
                 : ::twinsite::base::check_failed(#condition, __FILE__, __LINE__))
