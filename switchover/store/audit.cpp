// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/audit.hpp"

#include "base/crypto/digest.hpp"

namespace twinsite::switchover::store {

std::string audit_hash(const AuditEntry& entry, const std::string& before) {
    // Every part with its length: no two different lines give the same bytes.
    std::string bytes;
    for (const auto& part :
         {before,
          std::to_string(entry.seq),
          std::to_string(entry.wall_ms),
          entry.who,
          entry.from,
          entry.action,
          entry.object,
          entry.result,
          entry.detail}) {
        bytes += std::to_string(part.size());
        bytes += ':';
        bytes += part;
    }
    return base::crypto::sha256_hex(bytes);
}

}  // namespace twinsite::switchover::store
