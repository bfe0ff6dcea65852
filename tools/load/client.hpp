// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "tools/io/output_buffer.hpp"
#include "tools/load/ccr_template.hpp"
#include "tools/load/pending_table.hpp"
#include "tools/load/workload.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::tools::load {

/// One simulated network element on one connection: its peer machine, its sessions and its pending
/// requests. Pure: bytes and time in, bytes out. A session has one request on its way at a time;
/// answers decide how it goes on.
class Client {
public:
    using Time = wire::diameter::Time;
    struct Setup {
        CcrTemplate::Origin origin;
        std::chrono::milliseconds timeout{10'000};
        std::chrono::milliseconds watchdog{30'000};
        std::size_t window = 0;           ///< closed loop: requests on their way; 0: open loop
        std::size_t wanted_sessions = 1;  ///< start new ones until so many are open
        bool reconnect = false;           ///< keep pending requests over a lost connection
        std::uint32_t seed = 1;
    };
    /// `workload` and `counters` are shared by all clients and outlive them.
    Client(Setup setup, Workload& workload, Counters& counters);

    /// An event of the link. What the peer machine says is written to `out` here; the owner does
    /// the rest of the actions.
    const wire::diameter::Actions& step(
        const wire::diameter::Event& event, Time now, io::OutputBuffer& out
    );
    /// A framed message. Application answers are handled here, anything else by `step`; then the
    /// result is not null.
    const wire::diameter::Actions* take(
        std::span<const std::uint8_t> message, Time now, io::OutputBuffer& out
    );

    /// Sends (or, without an open link, queues) the next CCR that is to be sent. False when there
    /// is none or no place for it.
    bool issue(Time due, Time now, io::OutputBuffer& out);
    /// Closed loop: issues until the window is full.
    void fill_window(Time now, io::OutputBuffer& out);
    /// Gives up requests older than the time-out.
    void expire(Time now);
    /// The connection will not come back: everything of it is lost.
    void abandon();

    const wire::diameter::Peer& peer() const { return peer_; }
    wire::diameter::Peer& peer() { return peer_; }
    std::size_t waiting() const { return pending_.waiting(); }
    std::size_t open_sessions() const { return sessions_.size() - free_sessions_.size(); }

private:
    static constexpr std::uint16_t kNoHost = 0xffff;
    struct Session {
        std::uint32_t number = 0;
        std::uint32_t step = 0;  ///< CC-Request-Number of the request on its way or to come
        std::uint16_t host = kNoHost;
        bool moved = false;
    };

    void resend_pending(io::OutputBuffer& out);
    void write(std::uint32_t hop_by_hop, bool retransmitted, io::OutputBuffer& out);
    wire::diameter::CcRequestType type_of(const Session& session) const;
    bool may_send() const;
    bool choose_session(std::uint32_t& index);
    void take_answer(std::span<const std::uint8_t> message, Time now);
    bool is_right_answer(
        const wire::diameter::CreditControlAnswer& answer, bool error, const Session& session
    ) const;
    void note_host(Session& session, std::string_view host);
    void go_on(std::uint32_t index, std::uint32_t result_code);
    void end_session(std::uint32_t index, bool completed);

    const Setup setup_;
    const CcrTemplate template_;
    Workload& workload_;
    Counters& counters_;
    wire::diameter::Peer peer_;
    wire::diameter::Actions actions_;
    PendingTable pending_;
    std::vector<Session> sessions_;
    std::vector<std::uint32_t> free_sessions_;
    std::deque<std::uint32_t> ready_;  ///< sessions whose next request may go
    std::uint32_t next_end_to_end_;
    bool was_open_ = false;
};

}  // namespace twinsite::tools::load
