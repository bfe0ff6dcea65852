// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/udp_worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <netinet/in.h>
#include <random>
#include <span>
#include <sys/socket.h>
#include <utility>

#include <pthread.h>

#include "base/net/endpoint.hpp"
#include "gslb/answer/answer.hpp"

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

UdpWorker::UdpWorker(
    Publisher& publisher, Socket socket, bool wildcard, std::uint16_t payload_bytes
)
    : publisher_(publisher),
      socket_(std::move(socket)),
      wildcard_(wildcard),
      payload_bytes_(payload_bytes),
      thread_([this] { run(); }) {}

UdpWorker::~UdpWorker() {
    stop();
}

void UdpWorker::set_payload_bytes(std::uint16_t bytes) {
    payload_bytes_.store(bytes, std::memory_order_relaxed);
}

void UdpWorker::stop() {
    if (!thread_.joinable()) return;
    stopping_.store(true, std::memory_order_release);
    // Wakes the thread if it waits in recvmmsg. (Fails with "not connected", but wakes.)
    ::shutdown(socket_.number(), SHUT_RD);
    thread_.join();
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
    Publisher::Reader reader(publisher_);
    std::random_device seed;
    answer::Random random(std::uint64_t{seed()} << 32 | seed());
    const auto answer_batch = [&](bool wait) {
        const int got = batch->receive(socket_, wait);
        if (got <= 0) return got;
        serve(*batch, static_cast<std::size_t>(got), reader, random);
        batch->prepare(static_cast<std::size_t>(got));
        return got;
    };
    while (!stopping_.load(std::memory_order_acquire)) answer_batch(true);
    leave_group();
    while (answer_batch(false) != -EAGAIN) continue;
}

void UdpWorker::serve(
    Batch& batch, std::size_t count, Publisher::Reader& reader, answer::Random& random
) {
    const answer::Snapshot& snapshot = reader.enter();
    answer::Context context{
        {},
        answer::Transport::udp,
        payload_bytes_.load(std::memory_order_relaxed),
        random,
        counters_.answers
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (!batch.has_sender(i)) continue;
        context.source = address_of(batch.from(i));
        const std::size_t size =
            answer::answer(context, snapshot, batch.query(i), batch.reply_space(i));
        if (size > 0) batch.add_reply(i, size);
    }
    reader.leave();
    batch.send(socket_, counters_.udp_not_sent);
}

}  // namespace twinsite::gslb::server
