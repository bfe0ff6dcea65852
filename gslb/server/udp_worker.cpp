// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <netinet/in.h>
#include <random>
#include <span>
#include <sys/socket.h>
#include <utility>

#include <pthread.h>

#include "base/net/endpoint.hpp"
#include "gslb/answer/answer.hpp"
#include "gslb/server/transfer_seam.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::server {

namespace {

/// Packets per system call. The buffers of a batch, 200 KiB, still fit the second-level cache, and
/// its two system calls are less than a tenth of its cost.
constexpr std::size_t kBatch = 32;
/// Longer queries are cut and then refused as malformed: none of ours is near this size.
constexpr std::size_t kQueryBytes = 2048;
constexpr std::size_t kReplyBytes = 4096;
/// Buffers a power of two apart would all compete for the same lines of the first-level cache.
constexpr std::size_t kPadding = 64;
constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(in6_pktinfo));

/// Signals belong to the main thread.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

base::text::IpAddress address_of(const sockaddr_storage& from) {
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        return base::text::IpAddress::from_v4(ntohl(v4.sin_addr.s_addr));
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
    return base::text::IpAddress::from_v6(v6.sin6_addr.s6_addr);
}

std::uint16_t port_of(const sockaddr_storage& from) {
    // At the same place in both families.
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    return ntohs(reinterpret_cast<const sockaddr_in&>(from).sin_port);
}

/// Since 1970, modulo 2^32. Exact to a few milliseconds, and not a system call.
std::uint32_t coarse_time_s() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return static_cast<std::uint32_t>(now.tv_sec);
}

/// What is left of a reply of `size` bytes: all, its header and question with TC, or nothing.
std::size_t limit_rate(
    RateTable& table,
    const answer::Context& context,
    std::span<std::uint8_t> reply,
    std::size_t size,
    Counters& counters
) {
    const answer::Outcome& outcome = *context.outcome;
    switch (table.count(context.source, outcome.kind, context.now_s)) {
        case RateTable::Verdict::send:
            return size;
        case RateTable::Verdict::drop:
            counters.rate_dropped.add();
            return 0;
        case RateTable::Verdict::cut:
            break;
    }
    counters.rate_cut.add();
    // As a truncated reply: empty sections, and the OPT if there was one.
    constexpr std::size_t kAnswerCount = 6;
    std::fill_n(reply.begin() + kAnswerCount, 5, std::uint8_t{0});
    reply[wire::dns::kHeaderBytes - 1] = outcome.opt_bytes != 0 ? 1 : 0;
    reply[2] |= wire::dns::flag::tc >> 8;
    const std::size_t end = wire::dns::kHeaderBytes + outcome.question_bytes;
    std::memmove(reply.data() + end, reply.data() + size - outcome.opt_bytes, outcome.opt_bytes);
    return end + outcome.opt_bytes;
}

/// The packet information of a query becomes that of its reply: the address stays, the interface is
/// left to routing (but link-local addresses need theirs).
void choose_interface(msghdr& header) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr;
         part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info;
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            info.ipi_ifindex = 0;
            std::memcpy(CMSG_DATA(part), &info, sizeof info);
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info;
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
            std::memcpy(CMSG_DATA(part), &info, sizeof info);
        }
    }
}

}  // namespace

/// The buffers of one batch. Slot i of `received` describes query i; `replies` are packed, since
/// some queries get none.
class UdpWorker::Batch {
public:
    explicit Batch(bool wildcard) : wildcard_(wildcard) {
        for (std::size_t i = 0; i < kBatch; ++i) {
            Slot& slot = slots_[i];
            slot.query_part = {slot.query.data(), kQueryBytes};
            slot.reply_part = {slot.reply.data(), 0};
            msghdr& header = received_[i].msg_hdr;
            header.msg_name = &slot.from;
            header.msg_iov = &slot.query_part;
            header.msg_iovlen = 1;
            if (wildcard_) header.msg_control = slot.control.data();
        }
        prepare(kBatch);
    }

    /// Makes the first `count` slots ready to receive again: the kernel has written into them.
    void prepare(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            msghdr& header = received_[i].msg_hdr;
            header.msg_namelen = sizeof slots_[i].from;
            if (wildcard_) header.msg_controllen = kControlBytes;
        }
        reply_count_ = 0;
    }

    /// Messages received, or a negative error number.
    int receive(const Socket& socket, bool wait) {
        const int got = ::recvmmsg(
            socket.number(), received_.data(), kBatch, wait ? MSG_WAITFORONE : MSG_DONTWAIT, nullptr
        );
        return got < 0 ? -errno : got;
    }

    std::span<const std::uint8_t> query(std::size_t i) const {
        return {slots_[i].query.data(), received_[i].msg_len};
    }
    /// False for the empty message that wakes a thread whose socket was shut down.
    bool has_sender(std::size_t i) const { return received_[i].msg_hdr.msg_namelen > 0; }
    const sockaddr_storage& from(std::size_t i) const { return slots_[i].from; }
    std::span<std::uint8_t> reply_space(std::size_t i) {
        return {slots_[i].reply.data(), kReplyBytes};
    }
    void add_reply(std::size_t i, std::size_t size) {
        slots_[i].reply_part.iov_len = size;
        msghdr& header = replies_[reply_count_++].msg_hdr;
        header = received_[i].msg_hdr;
        header.msg_iov = &slots_[i].reply_part;
        header.msg_flags = 0;
        if (wildcard_) choose_interface(header);
    }

    /// Sends all replies; what the kernel refuses is skipped and counted.
    void send(const Socket& socket, answer::Counter& not_sent) {
        std::size_t sent = 0;
        while (sent < reply_count_) {
            const int taken = ::sendmmsg(
                socket.number(),
                replies_.data() + sent,
                static_cast<unsigned>(reply_count_ - sent),
                0
            );
            if (taken > 0) {
                sent += static_cast<std::size_t>(taken);
            } else if (errno != EINTR) {
                // The error is that of the first one: a source port 0, an unreachable network.
                not_sent.add();
                ++sent;
            }
        }
    }

private:
    struct Slot {
        std::array<std::uint8_t, kQueryBytes + kPadding> query;
        std::array<std::uint8_t, kReplyBytes + kPadding> reply;
        iovec query_part{};
        iovec reply_part{};
        sockaddr_storage from{};
        alignas(cmsghdr) std::array<std::uint8_t, kControlBytes> control{};
    };
    bool wildcard_;
    std::size_t reply_count_ = 0;
    std::array<mmsghdr, kBatch> received_{};
    std::array<mmsghdr, kBatch> replies_{};
    std::array<Slot, kBatch> slots_;
};

/// What the thread works with; nothing of it is shared.
struct UdpWorker::Desk {
    explicit Desk(const WorkerSeams& seams)
        : snapshots(seams.publisher),
          rules(seams.rules),
          random(random_seed()),
          table(random_seed()) {
        table.set_limit(rules.get().rate_limit);
    }
    static std::uint64_t random_seed() {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }
    const Rules& take_rules() {
        const Rules& now = rules.get();
        if (&now != taken) [[unlikely]] {
            table.set_limit(now.rate_limit);
            taken = &now;
        }
        return now;
    }

    Publisher::Reader snapshots;
    RuleBook::Reader rules;
    answer::Random random;
    RateTable table;
    const Rules* taken = nullptr;
    const answer::Snapshot* snapshot = nullptr;  // of the batch
    answer::Context* context = nullptr;          // of the batch
};

UdpWorker::UdpWorker(const WorkerSeams& seams, Socket socket, const base::net::Endpoint& local)
    : seams_(seams),
      socket_(std::move(socket)),
      local_(local),
      wildcard_(is_wildcard(local.address)),
      v6_(local.address.family == base::text::Family::v6),
      tap_(seams.dnstap ? Dnstap::make_tap(seams.dnstap) : nullptr),
      ring_(seams.logged_queries),
      thread_([this] { run(); }) {}

UdpWorker::~UdpWorker() {
    stop();
}

void UdpWorker::stop() {
    if (!thread_.joinable()) return;
    stopping_.store(true, std::memory_order_release);
    // Wakes the thread if it waits in recvmmsg. (Fails with "not connected", but wakes.)
    ::shutdown(socket_.number(), SHUT_RD);
    thread_.join();
    socket_.close();
}

void UdpWorker::let_go() {
    if (!thread_.joinable()) return;
    letting_go_.store(true, std::memory_order_release);
    stopping_.store(true, std::memory_order_release);
    thread_.join();  // wakes by itself, see kWakeEvery
    socket_.close();
}

void UdpWorker::leave_group() {
    // A connected socket takes packets of its peer only. Its own address as the peer: nobody else
    // sends from there, so the queue stops growing. Packets already in it stay.
    const auto local = local_endpoint(socket_);
    if (!local) return;
    const auto address = base::net::to_socket_address(*local);
    ::connect(socket_.number(), address.data(), address.size);
}

void UdpWorker::run() {
    block_signals();
    pthread_setname_np(pthread_self(), "dns-udp");
    const auto batch = std::make_unique<Batch>(wildcard_);
    Desk desk(seams_);
    const auto answer_batch = [&](bool wait) {
        const int got = batch->receive(socket_, wait);
        if (got <= 0) return got;
        serve(*batch, static_cast<std::size_t>(got), desk);
        batch->prepare(static_cast<std::size_t>(got));
        return got;
    };
    while (!stopping_.load(std::memory_order_acquire)) answer_batch(true);
    if (letting_go_.load(std::memory_order_acquire)) return;
    leave_group();
    while (answer_batch(false) != -EAGAIN) continue;
}

void UdpWorker::serve(Batch& batch, std::size_t count, Desk& desk) {
    const Rules& rules = desk.take_rules();
    const answer::Conduct& conduct = rules.conduct;
    const answer::Snapshot& snapshot = desk.snapshots.enter();
    answer::Outcome outcome;
    answer::Context context{
        {},
        answer::Transport::udp,
        v6_ ? conduct.udp_payload_v6_bytes : conduct.udp_payload_v4_bytes,
        desk.random,
        counters_.answers,
        &conduct,
        coarse_time_s(),
        &outcome,
        rules.transfers != nullptr
    };
    desk.snapshot = &snapshot;
    desk.context = &context;
    const bool limits = desk.table.is_on();
    const bool logs = ring_.is_on();
    if (tap_) tap_->take_time();
    for (std::size_t i = 0; i < count; ++i) {
        if (!batch.has_sender(i)) continue;
        context.source = address_of(batch.from(i));
        std::size_t size = answer::answer(context, snapshot, batch.query(i), batch.reply_space(i));
        if (outcome.handed_over) [[unlikely]]
            size = answer_transfer(batch, i, desk);
        else if (limits && size > 0 && !outcome.cookie_valid)
            size = limit_rate(desk.table, context, batch.reply_space(i), size, counters_);
        if (size > 0) batch.add_reply(i, size);
        if (tap_) [[unlikely]]
            tap_->copy(
                counters_,
                {context.source, port_of(batch.from(i))},
                local_,
                answer::Transport::udp,
                batch.query(i),
                batch.reply_space(i).first(size)
            );
        if (logs)
            ring_.add(
                {context.source, port_of(batch.from(i))},
                answer::Transport::udp,
                batch.query(i),
                outcome,
                size,
                snapshot.version(),
                context.now_s
            );
    }
    desk.snapshots.leave();
    batch.send(socket_, counters_.udp_not_sent);
}

std::size_t UdpWorker::answer_transfer(Batch& batch, std::size_t i, Desk& desk) {
    answer::Context& context = *desk.context;
    context.hand_over = false;
    const auto ordinary = [&](std::span<const std::uint8_t> query, std::span<std::uint8_t> reply) {
        return answer::answer(context, *desk.snapshot, query, reply);
    };
    const auto query = batch.query(i);
    std::size_t size = 0;
    if (is_for_transfer_seam(query, TransferSeam::Transport::udp)) {
        counters_.transfers.add();
        const TransferSeam::Question question{
            query,
            {context.source, port_of(batch.from(i))},
            TransferSeam::Transport::udp,
            context.max_udp_payload
        };
        const auto reply = desk.rules.get().transfers->handle(question, ordinary);
        if (reply) size = reply->next(batch.reply_space(i));
    } else {
        size = ordinary(query, batch.reply_space(i));
    }
    context.hand_over = true;
    return size;
}

}  // namespace twinsite::gslb::server
