// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "gslb/health/checker.hpp"
#include "gslb/health/vote_board.hpp"

namespace twinsite::gslb::health {

/// Health as a whole: our own checks, what others say, and what comes of it. On the thread of `io`.
class Observatory {
public:
    struct Settings {
        Checker::Settings checks;
        std::string joint_file;  ///< What was jointly known is kept here; empty: nowhere.
    };
    /// `on_change`: the Health of some target changed. Called from the event loop, never from
    /// within a call to this class.
    Observatory(
        boost::asio::io_context& io,
        Settings settings,
        std::function<void()> on_change,
        ProbeFactory make_probe = health::make_probe
    );
    ~Observatory();
    Observatory(const Observatory&) = delete;
    Observatory& operator=(const Observatory&) = delete;

    /// See Checker::apply and VoteBoard::apply.
    void apply(std::vector<Watch> watches, VoteBoard::Rules rules, std::size_t parallel);
    void when_first_round_done(std::chrono::milliseconds limit, std::function<void(bool)> done) {
        checker_.when_first_round_done(limit, std::move(done));
    }
    void stop();

    Health health(std::string_view id) const { return board_.health(id); }
    std::vector<CheckView> checks(std::string_view id) const { return checker_.checks(id); }
    std::vector<JudgedCheck> judged(std::string_view id) const {
        return board_.judged(id, Clock::now());
    }
    RoundView rounds() const { return checker_.rounds(); }
    const VoteBoard& board() const { return board_; }

    /// What we say of all checks, for others. Send a check's vote again at least each interval, or
    /// it grows too old to count.
    std::vector<Vote> own_votes() const { return checker_.votes(board_.rules().node); }
    /// A state from outside for a check of kind push. False when nobody watches it.
    bool push(std::string_view name, const base::text::IpAddress& address, const Pushed& pushed) {
        return checker_.push(name, address, pushed);
    }
    bool watches_push(std::string_view name, const base::text::IpAddress& address) const {
        return checker_.watches_push(name, address);
    }
    /// A vote of somebody else. False when it is old news or comes in our own name.
    bool take(const Vote& vote);
    /// Whether a gslb of another site is heard; none: there is no such peer.
    void set_peer(Sign peer);

private:
    void look();
    void look_soon();
    void tick();
    void restore();
    void save();

    const Settings settings_;
    const std::function<void()> on_change_;
    Checker checker_;
    VoteBoard board_;
    boost::asio::steady_timer soon_;
    boost::asio::steady_timer tick_;
    SavedVerdicts saved_joint_;
    /// For handlers that are queued already when we end.
    std::shared_ptr<char> alive_ = std::make_shared<char>();
    bool soon_due_ = false;
    bool restored_ = false;
    bool stopped_ = false;
};

}  // namespace twinsite::gslb::health
