// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ip.hpp"
#include "wire/diameter/base_messages.hpp"
#include "wire/diameter/error.hpp"

namespace twinsite::wire::diameter {

/// States of one link (RFC 6733 section 5.6 joined with the watchdog of RFC 3539 section 3.4).
enum class PeerState : std::uint8_t {
    closed,      ///< no transport
    connecting,  ///< we dial (Wait-Conn-Ack)
    wait_cea,    ///< CER sent (Wait-I-CEA)
    wait_cer,    ///< accepted, nothing received yet
    open,        ///< R-Open or I-Open, OKAY
    reopen,      ///< handshake done after a silent loss; has to answer some DWRs first
    suspect,     ///< open, but silent for too long: give it nothing new
    closing,     ///< DPR sent, DPA awaited
    departing,   ///< DPR received and answered; its pending answers may still come
};
inline constexpr std::size_t kPeerStates = 9;
std::string_view to_string(PeerState state);

/// Why a link is gone. Decides when to dial again (`redial_rule`).
enum class DownCause : std::uint8_t {
    none,
    connect_failed,
    connection_lost,
    handshake_failed,  ///< silence or nonsense instead of CER or CEA
    refused,           ///< capabilities or identity not accepted, by us or by the peer
    bad_stream,        ///< bytes that cannot be framed
    silent,            ///< second watchdog period without a byte
    peer_rebooting,    ///< DPR of the peer, by Disconnect-Cause
    peer_busy,
    peer_does_not_want,
    stopped,  ///< we sent DPR
};
std::string_view to_string(DownCause cause);

/// RFC 6733 section 5.4.3: after BUSY or DO_NOT_WANT_TO_TALK_TO_YOU do not come back soon; only a
/// DPR of the peer may ask for that, never a failure of our own.
enum class RedialRule : std::uint8_t {
    back_off,  ///< the usual back-off from its minimum
    later,     ///< the longest back-off
    never,     ///< we stopped it ourselves
};
RedialRule redial_rule(DownCause cause);

enum class Role : std::uint8_t { initiator, responder };

using Time = std::chrono::steady_clock::time_point;

struct PeerConfig {
    Role role = Role::responder;
    /// Asked with a peer's capabilities before it is accepted; returns 2001 or the Result-Code to
    /// refuse with: 3010 for an unknown peer, 4003 when an election is lost (section 5.6.4; the
    /// owner of both links compares the Origin-Hosts). Empty: everybody is welcome.
    std::function<std::uint32_t(const Capabilities&)> admit;
    /// Tw of RFC 3539; each period is drawn within +-min(2 s, Tw/3).
    std::chrono::milliseconds watchdog{30'000};
    /// From a DWR to suspicion, and from suspicion to down; zero means Tw.
    std::chrono::milliseconds dwa_timeout{0};
    /// For the connection, and again for CER or CEA.
    std::chrono::milliseconds handshake_timeout{10'000};
    /// For a DPA, and after a peer's DPR for the answers still pending.
    std::chrono::milliseconds grace{1'000};
    /// DWAs wanted before a link that was lost by silence is used again (RFC 3539: 3).
    /// Deviation: they are asked for back to back, not one per Tw, so heal is quick.
    unsigned reopen_watchdogs = 3;
};

/// An `admit` that knows host names: exact or "*.suffix", case ignored; empty list: all.
std::function<std::uint32_t(const Capabilities&)> admit_hosts(std::vector<std::string> patterns);

/// What happens to a link. Made by the functions below, which say when to use them.
struct Event {
    enum class Kind : std::uint8_t {
        start,
        transport_up,
        transport_failed,
        transport_lost,
        message,
        bad_stream,
        timer,
        suspicion,
        stop,
    };
    Kind kind;
    std::span<const std::uint8_t> bytes = {};
    Errc fault = Errc::bad_length;
    std::uint64_t generation = 0;
    DisconnectCause cause = DisconnectCause::rebooting;
    std::optional<base::text::IpAddress> local = {};
    std::chrono::milliseconds grace = std::chrono::milliseconds::zero();

    /// Dial now (initiator only).
    static Event start() { return {.kind = Kind::start}; }
    /// Connected, or accepted. `local` is announced when the identity names no address.
    static Event transport_up(std::optional<base::text::IpAddress> local = {}) {
        return {.kind = Kind::transport_up, .local = local};
    }
    static Event transport_failed() { return {.kind = Kind::transport_failed}; }
    /// Closed or reset by the peer, or a write failed.
    static Event transport_lost() { return {.kind = Kind::transport_lost}; }
    /// A whole message as the framer gives it.
    static Event message(std::span<const std::uint8_t> whole) {
        return {.kind = Kind::message, .bytes = whole};
    }
    /// The framer's fault and rest.
    static Event bad_stream(Errc fault, std::span<const std::uint8_t> rest) {
        return {.kind = Kind::bad_stream, .bytes = rest, .fault = fault};
    }
    /// The timer of this generation has come. Others are ignored.
    static Event timer(std::uint64_t generation) {
        return {.kind = Kind::timer, .generation = generation};
    }
    /// The owner saw requests unanswered for too long and not a byte from the peer.
    static Event suspicion() { return {.kind = Kind::suspicion}; }
    /// Leave politely. The peer has `grace` for its DPA; zero: PeerConfig::grace.
    static Event stop(
        DisconnectCause cause, std::chrono::milliseconds grace = std::chrono::milliseconds::zero()
    ) {
        return {.kind = Kind::stop, .cause = cause, .grace = grace};
    }
};

/// What the owner has to do, in this order: write `send`; then the rest.
struct Actions {
    std::vector<std::uint8_t> send;
    bool connect = false;         ///< dial
    bool deliver = false;         ///< the message of the event is for the application
    bool opened = false;          ///< may be used now
    bool suspected = false;       ///< give it nothing new, send its pending elsewhere
    bool recovered = false;       ///< suspicion was wrong: use it again
    bool peer_leaving = false;    ///< DPR received: give it nothing new, answers may come
    bool peer_restarted = false;  ///< with `opened`: its Origin-State-Id differs from before
    bool close = false;           ///< close the transport once all written bytes are on the wire
    bool down = false;            ///< the link is gone, see `Peer::down_cause`

    void clear();
};

/// One link as a pure state machine: events and the time in, actions out. It owns no socket and
/// reads no clock. An initiator's Peer lives across connections; a responder's dies with its own.
///
/// After each call the owner looks at `timer()` and, if its generation is new, arms its one timer.
///
/// Fast path: application messages of a link that `delivers` need not pass through `step`; tell
/// `heard` once per batch of received bytes instead (any byte counts as life, RFC 3539).
class Peer {
public:
    /// Draws 32 random bits; for jitter and first identifiers.
    using Random = std::function<std::uint32_t()>;
    struct Timer {
        bool armed = false;
        Time at{};
        std::uint64_t generation = 0;
    };

    Peer(Identity self, PeerConfig config, Random random);

    /// Clears `out`, then fills it.
    void step(const Event& event, Time now, Actions& out);

    /// Bytes arrived. True when that ends a suspicion: treat it as `recovered`.
    bool heard(Time now);

    PeerState state() const { return state_; }
    const Timer& timer() const { return timer_; }
    /// May get new requests.
    bool is_open() const { return state_ == PeerState::open; }
    /// Application messages received now are for the application.
    bool delivers(bool request) const;
    DownCause down_cause() const { return down_cause_; }
    /// What the peer said about itself in the last handshake.
    const Capabilities& capabilities() const { return theirs_; }
    const Identity& self() const { return self_; }
    Time last_heard() const { return last_heard_; }
    /// Result-Code of the last refused handshake, ours or the peer's; 0: none.
    std::uint32_t refusal() const { return refusal_; }

    /// What an event means to the table, for tests that walk all of it.
    enum class Input : std::uint8_t {
        start,
        up,
        failed,
        lost,
        cer,
        cea,
        dwr,
        dwa,
        dpr,
        dpa,
        request,
        answer,
        bad_message,
        bad_stream,
        timer,
        suspicion,
        stop,
    };
    static constexpr std::size_t kInputs = 17;
    static Input classify(const Event& event);

private:
    struct Step;  // event, time and actions of one call
    using Handler = void (Peer::*)(Step&);
    struct Table;

    void nothing(Step& step);
    void dial(Step& step);
    void send_cer(Step& step);
    void transport_is_up(Step& step);
    void connect_failed(Step& step);
    void connection_lost(Step& step);
    void leaving_connection_lost(Step& step);
    void handshake_failed(Step& step);
    void read_cer(Step& step);
    void read_cea(Step& step);
    void refuse_cer(Step& step);
    void answer_dwr(Step& step);
    void read_dwa(Step& step);
    void count_reopen_dwa(Step& step);
    void read_dpr(Step& step);
    void answer_dpr(Step& step);
    void read_dpa(Step& step);
    void deliver(Step& step);
    void refuse_request(Step& step);
    void answer_bad_message(Step& step);
    void bad_stream(Step& step);
    void watchdog_due(Step& step);
    void reopen_silent(Step& step);
    void suspect_silent(Step& step);
    void grace_over(Step& step);
    void suspect_now(Step& step);
    void send_dpr(Step& step);
    void stop_before_open(Step& step);

    void open_link(Step& step);
    void enter_suspect(Step& step);
    void go_down(Step& step, DownCause cause, bool close);
    void send_dwr(Step& step);
    bool accept(const Capabilities& theirs);
    std::uint32_t judge(const Capabilities& theirs) const;
    void arm(Time at);
    void disarm();
    std::chrono::milliseconds draw_period();
    std::chrono::milliseconds dwa_timeout() const;

    // fixed after construction
    Identity self_;
    const PeerConfig config_;
    const bool announce_local_;
    Random random_;
    // changes
    PeerState state_ = PeerState::closed;
    DownCause down_cause_ = DownCause::none;
    DownCause leaving_cause_ = DownCause::none;  ///< while departing
    Capabilities theirs_;
    std::optional<std::uint32_t> last_state_id_;
    std::uint32_t refusal_ = 0;
    std::uint32_t next_hop_by_hop_;
    std::uint32_t next_end_to_end_;
    Timer timer_;
    Time last_heard_{};
    Time dwr_sent_{};
    std::chrono::milliseconds period_{};  ///< the current Tw
    bool dwr_pending_ = false;
    bool lost_by_silence_ = false;
    bool restarted_ = false;  ///< its Origin-State-Id changed, and nobody was told yet
    unsigned reopen_dwas_ = 0;
};

}  // namespace twinsite::wire::diameter
