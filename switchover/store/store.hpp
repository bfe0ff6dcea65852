// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "switchover/store/audit.hpp"
#include "switchover/store/error.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::switchover::store {

using base::Result;
using wire::contract::Fence;

/// A key with its value. Revisions are those of the transactions that made and last changed it.
struct Entry {
    std::string key;
    std::string value;
    std::uint64_t created = 0;
    std::uint64_t changed = 0;
};

/// Holds when `key` was last changed by this revision; 0: when it is absent.
struct Compare {
    std::string key;
    std::uint64_t changed = 0;
};

/// No value: the key is removed (absent already: nothing happens).
struct Write {
    std::string key;
    std::optional<std::string> value;
};

/// Happens as a whole or not at all; on the disk when `commit` returns.
struct Transaction {
    std::vector<Compare> compares{};
    std::vector<Write> writes{};
    std::vector<AuditDraft> audit{};
};

struct Committed {
    std::uint64_t revision = 0;    ///< Of this transaction; grows with each.
    std::uint64_t audit_last = 0;  ///< seq of the last audit line there is; 0: none yet.
};

/// Which keys `list` gives, in the order of their bytes.
struct Range {
    std::string prefix;
    std::string after{};  ///< Keys beyond this one only; empty: from the start.
    std::size_t limit = 10'000;
    bool newest_first = false;  ///< Backwards: from `after` (or the end) down.
};

/// The server's memory: keys with revisions, and the audit. Only the present leader writes: every
/// write carries its fence, which is compared in the same transaction. One thread. Calls block for
/// a synced write (milliseconds). Keys: 1..512 bytes; values: at most 1 MiB; else invalid.
class Store {
public:
    virtual ~Store() = default;

    /// Makes `owner` the leader, with a fence above all before it. The former leader is refused
    /// from now on.
    virtual Result<Fence> acquire(const std::string& owner) = 0;
    /// not_leader when somebody else leads by now.
    virtual Result<void> renew(const Fence& fence) = 0;
    /// Nobody leads afterwards. not_leader when it was somebody else already.
    virtual Result<void> release(const Fence& fence) = 0;
    /// For a store that was restored from a copy or moved: the next generation, led by the caller.
    virtual Result<Fence> raise_generation(const Fence& fence) = 0;

    virtual Result<Committed> commit(const Fence& fence, const Transaction& transaction) = 0;
    virtual Result<std::optional<Entry>> find(const std::string& key) = 0;
    virtual Result<std::vector<Entry>> list(const Range& range) = 0;

    /// Lines with seq > after, oldest first, at most `limit` (1..1000).
    virtual Result<std::vector<AuditEntry>> audit(std::uint64_t after, std::size_t limit) = 0;
    /// seq of the last line; 0: none.
    virtual Result<std::uint64_t> audit_last() = 0;
    /// Goes through the whole chain. damaged is not an error here but a first_bad.
    virtual Result<AuditCheck> verify_audit() = 0;
};

}  // namespace twinsite::switchover::store
