// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/dnstap.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/system/system_category.hpp>
#include <fstrm.h>

#include "gslb/server/dnstap_frame.hpp"

namespace twinsite::gslb::server {

namespace {

constexpr const char* kContentType = "protobuf:dnstap.Dnstap";
constexpr unsigned kQueues = 128;
constexpr unsigned kQueueFrames = 1024;
/// Frames of one thread on their way. More than the queue holds, since the writer holds some.
constexpr std::size_t kFrames = 2048;
/// What a frame holds; longer messages (over TCP) are not copied.
constexpr std::size_t kFrameBytes = 4096 + kDnstapOverheadBytes;

struct Frame {
    std::array<std::uint8_t, kFrameBytes> bytes;
};

/// Frames that are free. The writer's thread gives back, the owner takes: one of each, so two
/// numbers are enough.
struct FramePool {
    FramePool() : frames(kFrames), free(kFrames) {
        for (std::size_t i = 0; i < kFrames; ++i) free[i] = &frames[i];
        given.store(kFrames, std::memory_order_relaxed);
    }
    Frame* take() {
        if (taken == given.load(std::memory_order_acquire)) return nullptr;
        return free[taken++ % kFrames];
    }
    void give(Frame* frame) {
        const std::uint64_t at = given.load(std::memory_order_relaxed);
        free[at % kFrames] = frame;
        given.store(at + 1, std::memory_order_release);
    }
    void untake(Frame* frame) { free[--taken % kFrames] = frame; }

    std::vector<Frame> frames;
    std::vector<Frame*> free;
    std::uint64_t taken = 0;  // the owner's
    std::atomic<std::uint64_t> given{0};
};

}  // namespace

struct Dnstap::Impl {
    ~Impl() {
        // Ends the thread, which gives back all frames: so pools go after it.
        if (thread != nullptr) fstrm_iothr_destroy(&thread);
    }
    std::string identity;
    std::string version;
    // guarded by mutex; a queue and its pool go together
    std::mutex mutex;
    std::vector<std::pair<fstrm_iothr_queue*, std::unique_ptr<FramePool>>> idle;
    fstrm_iothr* thread = nullptr;
    unsigned queues_taken = 0;
};

struct Dnstap::Tap::Impl {
    std::shared_ptr<Dnstap> dnstap;
    fstrm_iothr_queue* queue = nullptr;
    std::unique_ptr<FramePool> pool;
    timespec now{};
};

namespace {

void give_back(void* frame, void* pool) {
    static_cast<FramePool*>(pool)->give(static_cast<Frame*>(frame));
}

fstrm_writer* make_writer(const std::string& path) {
    auto* const unix_options = fstrm_unix_writer_options_init();
    fstrm_unix_writer_options_set_socket_path(unix_options, path.c_str());
    auto* options = fstrm_writer_options_init();
    fstrm_writer_options_add_content_type(
        options, kContentType, std::char_traits<char>::length(kContentType)
    );
    auto* const writer = fstrm_unix_writer_init(unix_options, options);
    auto* used = unix_options;
    fstrm_unix_writer_options_destroy(&used);
    fstrm_writer_options_destroy(&options);
    return writer;
}

fstrm_iothr* make_thread(fstrm_writer* writer) {
    auto* options = fstrm_iothr_options_init();
    fstrm_iothr_options_set_num_input_queues(options, kQueues);
    fstrm_iothr_options_set_input_queue_size(options, kQueueFrames);
    fstrm_iothr_options_set_queue_model(options, FSTRM_IOTHR_QUEUE_MODEL_SPSC);
    fstrm_iothr_options_set_reopen_interval(options, 1);
    auto* const thread = fstrm_iothr_init(options, &writer);
    fstrm_iothr_options_destroy(&options);
    if (thread == nullptr && writer != nullptr) fstrm_writer_destroy(&writer);
    return thread;
}

}  // namespace

Dnstap::Dnstap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dnstap::~Dnstap() = default;

base::Result<std::shared_ptr<Dnstap>> Dnstap::open(
    const std::string& socket_path, std::string identity, std::string version
) {
    const base::Error no_memory(ENOMEM, boost::system::system_category());
    auto* const writer = make_writer(socket_path);
    if (writer == nullptr) return no_memory;
    auto impl = std::make_unique<Impl>();
    impl->identity = std::move(identity);
    impl->version = std::move(version);
    impl->thread = make_thread(writer);
    if (impl->thread == nullptr) return no_memory;
    return std::shared_ptr<Dnstap>(new Dnstap(std::move(impl)));
}

std::unique_ptr<Dnstap::Tap> Dnstap::make_tap(const std::shared_ptr<Dnstap>& dnstap) {
    Impl& impl = *dnstap->impl_;
    auto out = std::make_unique<Tap::Impl>();
    const std::lock_guard lock(impl.mutex);
    if (!impl.idle.empty()) {
        out->queue = impl.idle.back().first;
        out->pool = std::move(impl.idle.back().second);
        impl.idle.pop_back();
    } else {
        if (impl.queues_taken == kQueues) return nullptr;
        out->queue = fstrm_iothr_get_input_queue(impl.thread);
        if (out->queue == nullptr) return nullptr;
        ++impl.queues_taken;
        out->pool = std::make_unique<FramePool>();
    }
    out->dnstap = dnstap;
    return std::unique_ptr<Tap>(new Tap(std::move(out)));
}

Dnstap::Tap::Tap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Dnstap::Tap::~Tap() {
    Dnstap::Impl& all = *impl_->dnstap->impl_;
    const std::lock_guard lock(all.mutex);
    all.idle.emplace_back(impl_->queue, std::move(impl_->pool));
}

void Dnstap::Tap::take_time() {
    ::clock_gettime(CLOCK_REALTIME, &impl_->now);
}

void Dnstap::Tap::copy(
    Counters& counters,
    const base::net::Endpoint& client,
    const base::net::Endpoint& server,
    answer::Transport transport,
    std::span<const std::uint8_t> query,
    std::span<const std::uint8_t> reply
) noexcept {
    const Dnstap::Impl& all = *impl_->dnstap->impl_;
    DnstapMessage message;
    message.identity = all.identity;
    message.version = all.version;
    message.client = client;
    message.server = server;
    message.transport = transport;
    message.time_s = static_cast<std::uint64_t>(impl_->now.tv_sec);
    message.time_ns = static_cast<std::uint32_t>(impl_->now.tv_nsec);
    for (const bool is_reply : {false, true}) {
        message.kind =
            is_reply ? DnstapMessage::Kind::auth_response : DnstapMessage::Kind::auth_query;
        message.bytes = is_reply ? reply : query;
        if (is_reply && reply.empty()) return;
        Frame* const frame = impl_->pool->take();
        if (frame == nullptr) {
            counters.dnstap_dropped.add();
            continue;
        }
        const std::size_t size = encode_dnstap(frame->bytes, message);
        if (size == 0 || fstrm_iothr_submit(
                             all.thread, impl_->queue, frame, size, give_back, impl_->pool.get()
                         ) != fstrm_res_success) {
            impl_->pool->untake(frame);
            counters.dnstap_dropped.add();
            continue;
        }
        counters.dnstap_queued.add();
    }
}

}  // namespace twinsite::gslb::server
