// SPDX-License-Identifier: Apache-2.0
#include "tools/load/client.hpp"

#include <random>

#include "base/error/check.hpp"

namespace twinsite::tools::load {

using namespace wire::diameter;

namespace {

Identity identity_of(const CcrTemplate::Origin& origin) {
    Identity self;
    self.host = origin.host;
    self.realm = origin.realm;
    self.product = "Twinsite load";
    self.auth_applications = {application::kCreditControl};
    self.state_id = origin.session_high;
    return self;
}

PeerConfig config_of(const Client::Setup& setup) {
    PeerConfig config;
    config.role = Role::initiator;
    config.watchdog = setup.watchdog;
    return config;
}

}  // namespace

Client::Client(Setup setup, Workload& workload, Counters& counters)
    : setup_(std::move(setup)),
      template_(setup_.origin),
      workload_(workload),
      counters_(counters),
      peer_(
          identity_of(setup_.origin),
          config_of(setup_),
          [random = std::mt19937(setup_.seed)]() mutable {
              return static_cast<std::uint32_t>(random());
          }
      ),
      next_end_to_end_(setup_.seed * 0x9e3779b9U) {}

const Actions& Client::step(const Event& event, Time now, io::OutputBuffer& out) {
    peer_.step(event, now, actions_);
    out.append(actions_.send);
    if (actions_.opened) {
        if (was_open_) ++counters_.reconnects;
        was_open_ = true;
        resend_pending(out);
    }
    if (actions_.down && !setup_.reconnect) abandon();
    return actions_;
}

const Actions* Client::take(
    std::span<const std::uint8_t> message, Time now, io::OutputBuffer& out
) {
    const HeaderView header(message);
    if (!header.is_request() && !header.is_of_base_protocol() && !check_bits(header) &&
        peer_.delivers(false)) {
        take_answer(message, now);
        return nullptr;
    }
    const Actions& actions = step(Event::message(message), now, out);
    // Nothing but answers is for us; a request from the other side gets its refusal.
    if (actions.deliver && header.is_request()) {
        std::vector<std::uint8_t> answer;
        build_error_answer(answer, peer_.self(), message, result::kCommandUnsupported);
        out.append(answer);
    }
    return &actions;
}

// Sending ----------------------------------------------------------------------------------------

bool Client::may_send() const {
    // A suspected link still carries bytes; we have no other for these sessions.
    return peer_.is_open() || peer_.state() == PeerState::suspect;
}

CcRequestType Client::type_of(const Session& session) const {
    if (session.step == 0) return CcRequestType::initial;
    return session.step > workload_.updates ? CcRequestType::termination : CcRequestType::update;
}

bool Client::choose_session(std::uint32_t& index) {
    if (workload_.stopped) return false;
    const bool wants_more = open_sessions() < setup_.wanted_sessions || ready_.empty();
    if (wants_more && workload_.may_start()) {
        if (free_sessions_.empty()) {
            index = static_cast<std::uint32_t>(sessions_.size());
            sessions_.emplace_back();
        } else {
            index = free_sessions_.back();
            free_sessions_.pop_back();
        }
        sessions_[index] = {workload_.start(), 0, kNoHost, false};
        ++counters_.sessions;
        return true;
    }
    if (ready_.empty()) return false;
    index = ready_.front();
    ready_.pop_front();
    return true;
}

bool Client::issue(Time due, Time now, io::OutputBuffer& out) {
    if (pending_.waiting() >= PendingTable::kMaxPending) {
        ++counters_.unsent;
        return false;
    }
    std::uint32_t session = 0;
    if (!choose_session(session)) return false;
    const auto hop_by_hop = pending_.add(due, next_end_to_end_++, session);
    BASE_CHECK(hop_by_hop.has_value());  // there was a place above
    ++counters_.sent;
    if (!may_send()) return true;
    write(*hop_by_hop, false, out);
    counters_.send_lag.record(now - due);
    return true;
}

void Client::write(std::uint32_t hop_by_hop, bool retransmitted, io::OutputBuffer& out) {
    auto& request = pending_.at(hop_by_hop);
    const Session& session = sessions_[request.session];
    request.state = PendingTable::State::sent;
    template_.append(
        {type_of(session),
         session.number,
         session.step,
         hop_by_hop,
         request.end_to_end,
         retransmitted},
        out
    );
}

void Client::fill_window(Time now, io::OutputBuffer& out) {
    if (!may_send()) return;
    while (pending_.waiting() < setup_.window && issue(now, now, out)) {
    }
}

void Client::resend_pending(io::OutputBuffer& out) {
    pending_.each_waiting([&](std::uint32_t hop_by_hop, PendingTable::Request& request) {
        const bool again = request.state == PendingTable::State::sent;
        if (again) ++counters_.retransmits;
        write(hop_by_hop, again, out);
    });
}

void Client::expire(Time now) {
    pending_.expire(now - setup_.timeout, [this](std::uint32_t session) {
        ++counters_.lost;
        end_session(session, false);
    });
}

void Client::abandon() {
    pending_.expire(Time::max(), [this](std::uint32_t session) {
        ++counters_.lost;
        end_session(session, false);
    });
    for (const std::uint32_t session : ready_) {
        free_sessions_.push_back(session);
        // Those that the end of the load left open have not failed.
        if (!workload_.stopped) ++counters_.sessions_failed;
    }
    ready_.clear();
}

// Answers ----------------------------------------------------------------------------------------

void Client::take_answer(std::span<const std::uint8_t> message, Time now) {
    const HeaderView header(message);
    switch (pending_.match(header.hop_by_hop(), header.end_to_end())) {
        case PendingTable::Match::waiting:
            break;
        case PendingTable::Match::duplicate:
            ++counters_.duplicate;
            return;
        case PendingTable::Match::late:
            ++counters_.late;
            return;
        case PendingTable::Match::unknown:
            ++counters_.unexpected;
            return;
    }
    const auto& request = pending_.at(header.hop_by_hop());
    const std::uint32_t index = request.session;
    CreditControlAnswer answer;
    if (header.command() != command::kCreditControl || !read_cca(message, answer) ||
        !is_right_answer(answer, header.is_error(), sessions_[index])) {
        ++counters_.unexpected;
        return;  // the request goes on waiting, and is lost if nothing better comes
    }
    ++counters_.answered;
    counters_.latency.record(now - request.due);
    const std::uint32_t code = answer.result_code.value_or(0);
    counters_.count_result(code);
    // An answer with the E bit is of a node on the way, not of a blade.
    if (!header.is_error()) note_host(sessions_[index], answer.origin_host);
    pending_.answered(header.hop_by_hop());
    go_on(index, code);
}

bool Client::is_right_answer(const CreditControlAnswer& answer, bool error, const Session& session)
    const {
    if (!answer.result_code || answer.origin_host.empty()) return false;
    if (error && answer.session.empty()) return true;  // optional in error answers
    if (!template_.is_session(answer.session, session.number)) return false;
    if (error) return true;
    return answer.type == type_of(session) && answer.number == session.step;
}

void Client::note_host(Session& session, std::string_view host) {
    const std::uint16_t index = counters_.count_host(host);
    if (session.host == kNoHost) session.host = index;
    if (session.host == index || session.moved) return;
    session.moved = true;
    ++counters_.sessions_moved;
}

void Client::go_on(std::uint32_t index, std::uint32_t result_code) {
    Session& session = sessions_[index];
    const bool last = type_of(session) == CcRequestType::termination;
    if (result_code / 1000 != 2 || last) return end_session(index, result_code / 1000 == 2);
    ++session.step;
    ready_.push_back(index);
}

void Client::end_session(std::uint32_t index, bool completed) {
    ++(completed ? counters_.sessions_completed : counters_.sessions_failed);
    free_sessions_.push_back(index);
}

}  // namespace twinsite::tools::load
