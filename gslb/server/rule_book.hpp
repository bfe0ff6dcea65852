// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gslb/answer/conduct.hpp"
#include "gslb/server/rate_limit.hpp"

namespace twinsite::gslb::server {

class TransferSeam;

/// Limits of the TCP side.
struct TcpLimits {
    std::chrono::milliseconds idle{10'000};  ///< between two whole queries, and for taking a reply
    std::size_t max_connections = 4096;      ///< beyond it the longest idle one is closed
    std::size_t max_per_address = 0;  ///< beyond it a client's new connection is closed; 0: none

    bool operator==(const TcpLimits&) const = default;
};

/// What all server threads go by, besides the snapshot. Never changed once it is in the book.
struct Rules {
    answer::Conduct conduct;
    RateLimit rate_limit;
    TcpLimits tcp;
    std::shared_ptr<TransferSeam> transfers;  ///< null: such messages get the ordinary answers

    bool operator==(const Rules&) const = default;
};

/// Hands new rules to all threads. Each looks at a number with every batch, and takes the lock only
/// after a change: nothing is shared on the common path.
class RuleBook {
public:
    void set(std::shared_ptr<const Rules> next) {
        const std::lock_guard lock(mutex_);
        rules_ = std::move(next);
        edition_.fetch_add(1, std::memory_order_release);
    }
    std::shared_ptr<const Rules> get() const {
        const std::lock_guard lock(mutex_);
        return rules_;
    }

    /// One thread's copy.
    class Reader {
    public:
        explicit Reader(const RuleBook& book) : book_(book) { refresh(); }
        /// Valid until the next call.
        const Rules& get() {
            if (book_.edition_.load(std::memory_order_acquire) != edition_) [[unlikely]]
                refresh();
            return *rules_;
        }

    private:
        void refresh() {
            edition_ = book_.edition_.load(std::memory_order_acquire);
            rules_ = book_.get();
        }
        const RuleBook& book_;
        std::uint64_t edition_ = 0;
        std::shared_ptr<const Rules> rules_;
    };

private:
    // any thread (atomic)
    std::atomic<std::uint64_t> edition_{0};
    // guarded by mutex_
    mutable std::mutex mutex_;
    std::shared_ptr<const Rules> rules_ = std::make_shared<const Rules>();
};

}  // namespace twinsite::gslb::server
