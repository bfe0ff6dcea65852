// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "switchover/store/store.hpp"

namespace twinsite::switchover::store {

/// The whole audit of a store.
inline AuditCheck verify_audit(Store& store) {
    AuditChain chain;
    for (;;) {
        const auto lines = store.audit(chain.taken(), 1000).value();
        if (lines.empty()) return chain.end(store.audit_last().value());
        for (const auto& line : lines) chain.take(line);
    }
}

}  // namespace twinsite::switchover::store
