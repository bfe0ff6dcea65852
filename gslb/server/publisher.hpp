// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

namespace twinsite::gslb::answer {
class Snapshot;
}

namespace twinsite::gslb::server {

/// Holds the snapshot that queries are answered from, and hands a new one to all threads at once.
/// A thread that answers takes a Reader and reads one pointer per batch; the snapshot it reads
/// stays alive until it lets go. Quiescence is our own (one announced pointer per reader, all
/// accesses atomic), so ThreadSanitizer can judge it (docs/decisions/0011).
class Publisher {
public:
    static constexpr std::size_t kMaxReaders = 1024;

    explicit Publisher(std::shared_ptr<const answer::Snapshot> first);
    ~Publisher();  ///< All readers are gone by then.
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;

    /// Every batch begun after this call uses `next`. Returns when no reader uses the one before
    /// any more: within one batch of each worker. Any thread; calls queue up.
    void publish(std::shared_ptr<const answer::Snapshot> next);
    /// For control threads; never on the query path.
    std::shared_ptr<const answer::Snapshot> current() const;

    /// The place of one thread among the readers. Used by that thread only; lives shorter than the
    /// publisher.
    class Reader {
    public:
        /// Checks (BASE_CHECK) that a place is free.
        explicit Reader(Publisher& publisher);
        ~Reader();
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

        /// The current snapshot, alive until leave(). Costs one fenced store.
        const answer::Snapshot& enter() noexcept;
        /// Before the thread blocks: it holds no snapshot any more.
        void leave() noexcept;

    private:
        Publisher& publisher_;
        std::atomic<const answer::Snapshot*>* announced_ = nullptr;
        std::size_t place_ = 0;
    };

private:
    /// One cache line each: a reader writes its own with every batch.
    struct alignas(64) Place {
        std::atomic<const answer::Snapshot*> announced{nullptr};
        std::atomic<bool> taken{false};
    };

    // any thread (atomic)
    std::atomic<const answer::Snapshot*> current_;
    std::array<Place, kMaxReaders> places_;
    // guarded by mutex_
    mutable std::mutex mutex_;
    std::shared_ptr<const answer::Snapshot> owned_;
};

}  // namespace twinsite::gslb::server
