// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/audit.hpp"

#include <algorithm>

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

void AuditChain::take(const AuditEntry& line) {
    ++check_.entries;
    const bool fits = line.seq == check_.entries && line.hash == audit_hash(line, hash_);
    if (!check_.first_bad && !fits) check_.first_bad = line.seq;
    taken_ = line.seq;
    hash_ = line.hash;
}

AuditCheck AuditChain::end(std::uint64_t last) const {
    auto out = check_;
    if (!out.first_bad && out.entries != last) out.first_bad = std::min(out.entries, last) + 1;
    return out;
}

}  // namespace twinsite::switchover::store
