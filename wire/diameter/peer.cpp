// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/peer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::wire::diameter {

using std::chrono::milliseconds;

struct Peer::Step {
    const Event& event;
    Time now;
    Actions& out;
};

/// What to do for each state and input. One row per input, one column per state, in the order of
/// the enumerations, so that a hole cannot go unseen.
struct Peer::Table {
    using P = Peer;
    static constexpr Handler no = &P::nothing;
    static constexpr Handler bad = &P::handshake_failed;
    static constexpr Handler lost = &P::connection_lost;
    static constexpr Handler junk = &P::answer_bad_message;
    static constexpr Handler dwa = &P::answer_dwr;
    static constexpr Handler up = &P::deliver;
    static constexpr Handler cut = &P::bad_stream;
    static constexpr Handler end = &P::stop_before_open;
    static constexpr Handler dpr = &P::send_dpr;
    static constexpr Handler left = &P::leaving_connection_lost;

    using Row = std::array<Handler, kPeerStates>;
    static constexpr std::array<Row, kInputs> kRows = {{
        // closed, connecting, wait_cea, wait_cer, open, reopen, suspect, closing, departing
        /* start */ {&P::dial, no, no, no, no, no, no, no, no},
        /* up */ {&P::transport_is_up, &P::send_cer, no, no, no, no, no, no, no},
        /* failed */ {no, &P::connect_failed, lost, lost, lost, lost, lost, lost, left},
        /* lost */ {no, &P::connect_failed, lost, lost, lost, lost, lost, &P::grace_over, left},
        /* cer */
        {no, no, bad, &P::read_cer, &P::refuse_cer, &P::refuse_cer, &P::refuse_cer, no, no},
        /* cea */ {no, no, &P::read_cea, bad, no, no, no, no, no},
        /* dwr */ {no, no, bad, bad, dwa, dwa, dwa, dwa, dwa},
        /* dwa */ {no, no, bad, bad, &P::read_dwa, &P::count_reopen_dwa, &P::read_dwa, no, no},
        /* dpr */
        {no, no, bad, bad, &P::read_dpr, &P::read_dpr, &P::read_dpr, &P::answer_dpr, &P::answer_dpr
        },
        /* dpa */ {no, no, bad, bad, no, no, no, &P::read_dpa, no},
        /* request */ {no, no, bad, bad, up, up, up, up, &P::refuse_request},
        /* answer */ {no, no, bad, bad, up, up, up, up, up},
        /* bad_message */ {no, no, bad, bad, junk, junk, junk, junk, junk},
        /* bad_stream */ {no, no, bad, bad, cut, cut, cut, cut, cut},
        /* timer */
        {no,
         &P::connect_failed,
         bad,
         bad,
         &P::watchdog_due,
         &P::reopen_silent,
         &P::suspect_silent,
         &P::grace_over,
         &P::grace_over},
        /* suspicion */ {no, no, no, no, &P::suspect_now, no, no, no, no},
        /* stop */ {no, end, end, end, dpr, dpr, dpr, no, no},
    }};
};

void Actions::clear() {
    send.clear();
    connect = deliver = opened = suspected = recovered = false;
    peer_leaving = peer_restarted = close = down = false;
}

Peer::Peer(Identity self, PeerConfig config, Random random)
    : self_(std::move(self)),
      config_(std::move(config)),
      announce_local_(self_.addresses.empty()),
      random_(std::move(random)),
      next_hop_by_hop_(random_()),
      next_end_to_end_(random_()) {}

Peer::Input Peer::classify(const Event& event) {
    switch (event.kind) {
        case Event::Kind::start:
            return Input::start;
        case Event::Kind::transport_up:
            return Input::up;
        case Event::Kind::transport_failed:
            return Input::failed;
        case Event::Kind::transport_lost:
            return Input::lost;
        case Event::Kind::bad_stream:
            return Input::bad_stream;
        case Event::Kind::timer:
            return Input::timer;
        case Event::Kind::suspicion:
            return Input::suspicion;
        case Event::Kind::stop:
            return Input::stop;
        case Event::Kind::message:
            break;
    }
    const HeaderView header(event.bytes);
    if (check_bits(header)) return Input::bad_message;
    const bool request = header.is_request();
    switch (header.command()) {
        case command::kCapabilitiesExchange:
            return request ? Input::cer : Input::cea;
        case command::kDeviceWatchdog:
            return request ? Input::dwr : Input::dwa;
        case command::kDisconnectPeer:
            return request ? Input::dpr : Input::dpa;
        default:
            return request ? Input::request : Input::answer;
    }
}

void Peer::step(const Event& event, Time now, Actions& out) {
    out.clear();
    if (event.kind == Event::Kind::timer) {
        if (!timer_.armed || event.generation != timer_.generation) return;
        disarm();
    }
    if (event.kind == Event::Kind::message) out.recovered = heard(now);
    Step step{event, now, out};
    const Handler handler =
        Table::kRows[static_cast<std::size_t>(classify(event))][static_cast<std::size_t>(state_)];
    (this->*handler)(step);
}

bool Peer::heard(Time now) {
    last_heard_ = now;
    if (state_ != PeerState::suspect) return false;
    state_ = PeerState::open;
    dwr_pending_ = false;
    period_ = draw_period();
    arm(now + period_);
    return true;
}

bool Peer::delivers(bool request) const {
    switch (state_) {
        case PeerState::open:
        case PeerState::reopen:
        case PeerState::suspect:
        case PeerState::closing:
            return true;
        case PeerState::departing:
            return !request;
        default:
            return false;
    }
}

void Peer::nothing(Step&) {}

// The way up -------------------------------------------------------------------------------------

void Peer::dial(Step& step) {
    if (config_.role != Role::initiator) return;
    state_ = PeerState::connecting;
    step.out.connect = true;
    arm(step.now + config_.handshake_timeout);
}

void Peer::transport_is_up(Step& step) {
    if (config_.role == Role::initiator) return send_cer(step);
    if (announce_local_ && step.event.local) self_.addresses = {*step.event.local};
    state_ = PeerState::wait_cer;
    arm(step.now + config_.handshake_timeout);
}

void Peer::send_cer(Step& step) {
    if (announce_local_ && step.event.local) self_.addresses = {*step.event.local};
    state_ = PeerState::wait_cea;
    build_cer(step.out.send, self_, next_hop_by_hop_++, next_end_to_end_++);
    arm(step.now + config_.handshake_timeout);
}

std::uint32_t Peer::judge(const Capabilities& theirs) const {
    // A link to ourselves would send our own requests round and round.
    if (base::text::equals_ignoring_case(theirs.host, self_.host)) return result::kUnknownPeer;
    if (config_.admit) {
        const auto verdict = config_.admit(theirs);
        if (verdict != result::kSuccess) return verdict;
    }
    if (!have_common_application(self_, theirs)) return result::kNoCommonApplication;
    return result::kSuccess;
}

bool Peer::accept(const Capabilities& theirs) {
    refusal_ = judge(theirs);
    if (refusal_ != result::kSuccess) return false;
    refusal_ = 0;
    // Kept until the link opens: after a loss by silence that is some watchdogs later.
    if (theirs.state_id && last_state_id_ && *theirs.state_id != *last_state_id_) restarted_ = true;
    if (theirs.state_id) last_state_id_ = theirs.state_id;
    theirs_ = theirs;
    return true;
}

void Peer::read_cer(Step& step) {
    Capabilities theirs;
    const HeaderView request(step.event.bytes);
    if (const auto defect = read_capabilities(step.event.bytes, theirs)) {
        refusal_ = defect->result_code;
        build_cea(step.out.send, self_, request, defect->result_code, &*defect);
        return go_down(step, DownCause::refused, true);
    }
    if (!accept(theirs)) {
        build_cea(step.out.send, self_, request, refusal_);
        return go_down(step, DownCause::refused, true);
    }
    build_cea(step.out.send, self_, request, result::kSuccess);
    open_link(step);
}

void Peer::read_cea(Step& step) {
    Capabilities theirs;
    if (const auto defect = read_capabilities(step.event.bytes, theirs)) {
        refusal_ = defect->result_code;
        return go_down(step, DownCause::refused, true);
    }
    if (theirs.result_code != result::kSuccess) {
        refusal_ = theirs.result_code.value_or(result::kMissingAvp);
        return go_down(step, DownCause::refused, true);
    }
    if (!accept(theirs)) return go_down(step, DownCause::refused, true);
    open_link(step);
}

void Peer::open_link(Step& step) {
    down_cause_ = leaving_cause_ = DownCause::none;
    last_heard_ = step.now;
    dwr_pending_ = false;
    if (lost_by_silence_ && config_.reopen_watchdogs > 0) {
        state_ = PeerState::reopen;
        reopen_dwas_ = 0;
        send_dwr(step);
        return;
    }
    lost_by_silence_ = false;
    state_ = PeerState::open;
    step.out.opened = true;
    step.out.peer_restarted = std::exchange(restarted_, false);
    period_ = draw_period();
    arm(step.now + period_);
}

void Peer::count_reopen_dwa(Step& step) {
    dwr_pending_ = false;
    if (++reopen_dwas_ < config_.reopen_watchdogs) return send_dwr(step);
    lost_by_silence_ = false;
    open_link(step);
}

// Watchdog ---------------------------------------------------------------------------------------

void Peer::send_dwr(Step& step) {
    build_dwr(step.out.send, self_, next_hop_by_hop_++, next_end_to_end_++);
    dwr_pending_ = true;
    dwr_sent_ = step.now;
    arm(step.now + dwa_timeout());
}

void Peer::watchdog_due(Step& step) {
    if (dwr_pending_ && last_heard_ <= dwr_sent_) return enter_suspect(step);
    dwr_pending_ = false;
    const Time due = last_heard_ + period_;
    if (step.now >= due) return send_dwr(step);
    arm(due);  // there was traffic meanwhile
}

void Peer::enter_suspect(Step& step) {
    state_ = PeerState::suspect;
    step.out.suspected = true;
    arm(step.now + dwa_timeout());
}

void Peer::suspect_now(Step& step) {
    if (!dwr_pending_) send_dwr(step);
    enter_suspect(step);
}

void Peer::suspect_silent(Step& step) {
    go_down(step, DownCause::silent, true);
}
void Peer::reopen_silent(Step& step) {
    go_down(step, DownCause::silent, true);
}

void Peer::answer_dwr(Step& step) {
    build_dwa(step.out.send, self_, HeaderView(step.event.bytes));
}

void Peer::read_dwa(Step& step) {
    if (!dwr_pending_) return;
    dwr_pending_ = false;
    period_ = draw_period();
    arm(step.now + period_);
}

milliseconds Peer::dwa_timeout() const {
    return config_.dwa_timeout > milliseconds::zero() ? config_.dwa_timeout : config_.watchdog;
}

milliseconds Peer::draw_period() {
    // RFC 3539 section 3.4.1: Tw +- 2 s, so that peers do not fall into step. Shorter periods than
    // its 6 s minimum keep the same proportion.
    const auto jitter = std::min<milliseconds>(milliseconds(2000), config_.watchdog / 3).count();
    if (jitter <= 0) return config_.watchdog;
    const auto span = static_cast<std::uint32_t>(2 * jitter + 1);
    return config_.watchdog - milliseconds(jitter) + milliseconds(random_() % span);
}

// The way down -----------------------------------------------------------------------------------

void Peer::go_down(Step& step, DownCause cause, bool close) {
    state_ = PeerState::closed;
    down_cause_ = cause;
    lost_by_silence_ =
        cause == DownCause::silent || (lost_by_silence_ && cause != DownCause::stopped);
    step.out.down = true;
    step.out.close = close;
    step.out.recovered = false;
    disarm();
}

void Peer::connect_failed(Step& step) {
    go_down(step, DownCause::connect_failed, step.event.kind == Event::Kind::timer);
}

void Peer::connection_lost(Step& step) {
    go_down(step, DownCause::connection_lost, true);
}
void Peer::leaving_connection_lost(Step& step) {
    go_down(step, leaving_cause_, true);
}
void Peer::handshake_failed(Step& step) {
    go_down(step, DownCause::handshake_failed, true);
}
void Peer::stop_before_open(Step& step) {
    go_down(step, DownCause::stopped, true);
}

void Peer::send_dpr(Step& step) {
    state_ = PeerState::closing;
    build_dpr(step.out.send, self_, step.event.cause, next_hop_by_hop_++, next_end_to_end_++);
    const auto grace = step.event.grace;
    arm(step.now + (grace > milliseconds::zero() ? grace : config_.grace));
}

void Peer::read_dpa(Step& step) {
    go_down(step, DownCause::stopped, true);
}

void Peer::grace_over(Step& step) {
    go_down(step, state_ == PeerState::departing ? leaving_cause_ : DownCause::stopped, true);
}

void Peer::answer_dpr(Step& step) {
    build_dpa(step.out.send, self_, HeaderView(step.event.bytes));
}

void Peer::read_dpr(Step& step) {
    answer_dpr(step);
    const auto avp = find_avp(step.event.bytes, avp::kDisconnectCause);
    const auto value = avp ? avp->u32() : std::nullopt;
    switch (static_cast<DisconnectCause>(value.value_or(0))) {
        case DisconnectCause::busy:
            leaving_cause_ = DownCause::peer_busy;
            break;
        case DisconnectCause::do_not_want_to_talk:
            leaving_cause_ = DownCause::peer_does_not_want;
            break;
        default:
            leaving_cause_ = DownCause::peer_rebooting;
            break;
    }
    state_ = PeerState::departing;
    step.out.peer_leaving = true;
    step.out.recovered = false;
    arm(step.now + config_.grace);
}

// Messages ---------------------------------------------------------------------------------------

void Peer::deliver(Step& step) {
    step.out.deliver = true;
}

void Peer::refuse_request(Step& step) {
    build_error_answer(step.out.send, self_, step.event.bytes, result::kUnableToDeliver);
}

void Peer::refuse_cer(Step& step) {
    build_error_answer(
        step.out.send, self_, step.event.bytes, result::kUnableToComply, "link is open already"
    );
}

void Peer::answer_bad_message(Step& step) {
    if (!HeaderView(step.event.bytes).is_request()) return;
    build_error_answer(step.out.send, self_, step.event.bytes, result::kInvalidHeaderBits);
}

void Peer::bad_stream(Step& step) {
    const auto rest = step.event.bytes;
    if (rest.size() >= kHeaderBytes && HeaderView(rest).is_request())
        build_error_answer(
            step.out.send, self_, rest.first(kHeaderBytes), result_code_of(step.event.fault)
        );
    go_down(step, DownCause::bad_stream, true);
}

// Timer ------------------------------------------------------------------------------------------

void Peer::arm(Time at) {
    timer_ = {true, at, timer_.generation + 1};
}

void Peer::disarm() {
    timer_.armed = false;
    ++timer_.generation;
}

// Names and rules --------------------------------------------------------------------------------

std::function<std::uint32_t(const Capabilities&)> admit_hosts(std::vector<std::string> patterns) {
    return [patterns = std::move(patterns)](const Capabilities& theirs) {
        const auto matches = [&theirs](const std::string& pattern) {
            if (!pattern.starts_with("*."))
                return base::text::equals_ignoring_case(pattern, theirs.host);
            const std::string_view suffix = std::string_view(pattern).substr(1);
            return theirs.host.size() > suffix.size() &&
                   base::text::equals_ignoring_case(
                       std::string_view(theirs.host).substr(theirs.host.size() - suffix.size()),
                       suffix
                   );
        };
        if (patterns.empty() || std::any_of(patterns.begin(), patterns.end(), matches))
            return result::kSuccess;
        return result::kUnknownPeer;
    };
}

RedialRule redial_rule(DownCause cause) {
    switch (cause) {
        case DownCause::peer_busy:
        case DownCause::peer_does_not_want:
            return RedialRule::later;
        case DownCause::stopped:
            return RedialRule::never;
        default:
            return RedialRule::back_off;
    }
}

std::string_view to_string(PeerState state) {
    switch (state) {
        case PeerState::closed:
            return "down";
        case PeerState::connecting:
        case PeerState::wait_cea:
        case PeerState::wait_cer:
        case PeerState::reopen:
            return "connecting";
        case PeerState::open:
            return "open";
        case PeerState::suspect:
            return "suspect";
        case PeerState::closing:
        case PeerState::departing:
            return "disconnecting";
    }
    return "unknown";
}

std::string_view to_string(DownCause cause) {
    switch (cause) {
        case DownCause::none:
            return "none";
        case DownCause::connect_failed:
            return "connect_failed";
        case DownCause::connection_lost:
            return "connection_lost";
        case DownCause::handshake_failed:
            return "handshake_failed";
        case DownCause::refused:
            return "refused";
        case DownCause::bad_stream:
            return "bad_stream";
        case DownCause::silent:
            return "silent";
        case DownCause::peer_rebooting:
            return "peer_rebooting";
        case DownCause::peer_busy:
            return "peer_busy";
        case DownCause::peer_does_not_want:
            return "peer_does_not_want";
        case DownCause::stopped:
            return "stopped";
    }
    return "unknown";
}

}  // namespace twinsite::wire::diameter
