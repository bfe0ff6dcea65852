// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file/descriptor.hpp"
#include "slb/proxy/engine.hpp"
#include "slb/proxy/output_ring.hpp"
#include "slb/proxy/poller.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::slb::proxy {

/// One Diameter connection: bytes in, whole messages to `on_batch`; messages out through the ring,
/// sent once at the end of the turn; and the peer state machine beside. Shard thread only.
class Link : public Watcher {
public:
    using Time = wire::diameter::Time;
    using Message = std::span<std::uint8_t>;

    Link(Engine& engine, wire::diameter::Peer peer) : peer_(std::move(peer)), engine_(engine) {}
    ~Link() override;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Queues a whole message; it leaves at the end of the turn.
    void write(std::span<const std::uint8_t> message) {
        ring_.append(message);
        mark_dirty();
    }
    /// End of turn: one system call.
    void flush();
    /// Timers of the peer and of closing; call it every few milliseconds.
    void on_tick();
    /// Leave politely; the peer has `grace` to answer, zero for that of its settings.
    void stop(
        wire::diameter::DisconnectCause cause,
        std::chrono::milliseconds grace = std::chrono::milliseconds::zero()
    );
    void on_ready(Ready ready) override;

    const wire::diameter::Peer& peer() const { return peer_; }
    bool connected() const { return socket_.is_open(); }
    std::size_t waiting_bytes() const { return ring_.size(); }

protected:
    /// Messages framed in one pass: few enough to stay in the first-level cache.
    static constexpr std::size_t kBatch = 32;

    /// Up to kBatch whole messages, changeable in place.
    virtual void on_batch(std::span<const Message> batch) = 0;
    virtual void on_opened() = 0;
    /// The link is of no use any more. If its transport is still there, last words can be written:
    /// they leave before the FIN.
    virtual void on_down() = 0;
    virtual void on_suspected() {}
    virtual void on_recovered() {}
    virtual void on_dial() {}
    /// A message that the peer state machine does not handle itself.
    virtual void on_delivered(Message) {}
    /// The peer asked to leave; `answer` is its DPA. The default sends it at once.
    virtual void on_leaving(std::span<const std::uint8_t> answer) { write(answer); }
    /// True: the transport must stay for a while, although the peer state machine is through.
    virtual bool keeps_transport() { return false; }
    /// End of a turn in which something was written: the ring was flushed wholly, in part, or not
    /// at all. May close the link.
    virtual void on_flushed() {}

    /// Takes a connected (or connecting) socket.
    void attach(base::file::Descriptor socket, bool connecting);
    void step(const wire::diameter::Event& event);
    /// A message for the peer state machine.
    void step_message(Message message) { step(wire::diameter::Event::message(message)); }
    /// Sends what waits, tells the peer with FIN, and closes when it does the same or after a
    /// second: a plain close could destroy a DPA that is still on its way (kamailio #3092).
    void close_gently();
    void close_now();
    void pause_reading(bool paused);

    wire::diameter::Peer peer_;
    Engine& engine_;
    OutputRing ring_;
    /// Known in `on_opened`: the peer's Origin-State-Id differs from that of its last link.
    bool peer_restarted_ = false;

private:
    void mark_dirty() {
        if (dirty_) return;
        dirty_ = true;
        engine_.dirty.push_back(this);
    }
    void finish_connecting();
    void read();
    bool read_once(bool& more);
    /// Hands out whole messages; returns how many bytes they had.
    std::size_t consume(std::span<std::uint8_t> bytes);
    void apply();
    void update_interest();

    base::file::Descriptor socket_;
    std::vector<std::uint8_t> carry_;  ///< the part of a message that the last read ended with
    wire::diameter::Actions actions_;
    Ready interest_{.read = true, .write = false};
    Time close_by_{};  ///< while closing gently
    bool connecting_ = false;
    bool dirty_ = false;
    bool blocked_ = false;  ///< the kernel's buffer is full
    bool paused_ = false;
    bool closing_ = false;  ///< close_gently was called
    bool fin_sent_ = false;
};

}  // namespace twinsite::slb::proxy
