// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/async/backoff.hpp"
#include "slb/proxy/counters.hpp"
#include "slb/proxy/link.hpp"
#include "slb/proxy/pending.hpp"
#include "slb/proxy/settings.hpp"
#include "slb/session/placement.hpp"

namespace twinsite::slb::proxy {

class Relay;

/// One blade: its connection (dialled again whenever it is lost), the requests that wait for its
/// answers, and its counters. Lives until the blade is removed.
class BladeLink final : public Link {
public:
    BladeLink(
        Engine& engine,
        Relay& relay,
        session::BladeIndex index,
        const BladeSettings& blade,
        const Settings& settings
    );

    /// Dials, and dials again by the rules of `RedialRule`.
    void on_blade_tick();
    void use(const BladeSettings& blade, const Settings& settings);
    /// No new work; closes when nothing is pending. `is_gone` tells when it is over.
    void remove();
    bool is_gone() const;
    /// Requests are unanswered and not a byte comes.
    void suspect_now() { step(wire::diameter::Event::suspicion()); }

    session::BladeIndex index() const { return index_; }
    const std::string& name() const { return name_; }
    const base::net::Endpoint& address() const { return address_; }
    bool draining() const { return draining_; }
    bool removing() const { return removing_; }
    /// Its link works: requests of its sessions may go to it.
    bool usable() const { return peer().is_open() && !held_; }
    /// Last resort: the link stands, but the blade is silent, or answers nothing but DWRs.
    bool suspect() const { return held_ || peer().state() == wire::diameter::PeerState::suspect; }
    /// Too many pending requests or unsent bytes to take another one.
    bool full() const;
    /// May be given new sessions.
    bool eligible() const { return usable() && !draining_ && !removing_ && !crowded(); }
    std::string_view link_state() const {
        using wire::diameter::PeerState;
        return to_string(held_ && peer().is_open() ? PeerState::suspect : peer().state());
    }

    PendingSlots& slots() { return slots_; }
    const PendingSlots& slots() const { return slots_; }
    BladeCounters& counters() { return counters_; }
    const BladeCounters& counters() const { return counters_; }
    /// After pending requests ended: a DPA may be waiting for that.
    void pending_ended();

protected:
    void on_batch(std::span<const Message> batch) override;
    void on_opened() override;
    void on_down() override;
    void on_suspected() override;
    void on_recovered() override;
    void on_dial() override;
    void on_delivered(Message message) override;
    void on_leaving(std::span<const std::uint8_t> answer) override;
    void on_flushed() override;

private:
    bool crowded() const;
    void plan_redial();
    void log_down() const;
    void hold();
    void check_hold();
    /// Answers of the application since the start, late ones included.
    std::uint64_t answered() const { return counters_.answers + counters_.late; }

    // fixed after construction
    Relay& relay_;
    const session::BladeIndex index_;
    const std::string name_;
    const base::net::Endpoint address_;
    // changed by reload and API
    bool draining_ = false;
    bool removing_ = false;
    bool held_ = false;  ///< it lives, but serves nothing: treated as suspect until hold_until_
    milliseconds reconnect_max_{};
    std::optional<base::text::IpAddress> bind_;
    // changes
    PendingSlots slots_;
    BladeCounters counters_;
    base::async::Backoff back_off_;
    Time dial_at_{};
    std::vector<std::uint8_t> held_dpa_;
    bool failure_logged_ = false;
    // Hold-down of a blade that answers watchdogs and nothing else.
    base::async::Backoff hold_back_off_;
    Time hold_until_{};
    std::uint64_t answered_before_ = 0;  ///< at the last suspicion, or when the hold began
    std::uint64_t asked_before_ = 0;     ///< requests at the last suspicion
    bool suspected_before_ = false;      ///< on this connection
    bool fruitless_ = false;             ///< requests, but no answer since the suspicion before
};

}  // namespace twinsite::slb::proxy
