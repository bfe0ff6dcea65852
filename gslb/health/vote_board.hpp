// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/health/checker.hpp"
#include "gslb/health/combine.hpp"
#include "gslb/health/votes.hpp"

namespace twinsite::gslb::health {

/// The watch whose checks say whether our own link works: one of them up is enough.
constexpr std::string_view kOwnLink = "@own-link";

/// One check of a target with everything that is said of it.
struct JudgedCheck {
    struct Word {
        std::string observer;
        State result = State::unknown;
        std::chrono::milliseconds age{};
        std::chrono::microseconds rtt{};
        std::uint64_t seq = 0;
        bool fresh = false;  ///< counts; else it abstains
        bool own = false;
    };
    std::string key;  ///< check_key()
    std::vector<Word> words;
    State result = State::unknown;
    State joint = State::unknown;  ///< what was last jointly known
};

/// From our own checks and what others say to the health of targets. No I/O; one thread.
class VoteBoard {
public:
    struct Target {
        Quorum quorum;
        bool remote = false;  ///< at another site
    };
    struct Rules {
        std::string node;
        std::set<std::string> witnesses;  ///< observers that stand outside all sites
        std::map<std::string, Target, std::less<>> targets;  ///< by watch id
    };
    using Checks = std::function<std::vector<CheckView>(std::string_view id)>;

    using OwnHealth = std::function<Health(std::string_view id)>;

    /// `checks` and `own`: ours, as Checker gives them. `own` (may be empty) is the short way while
    /// nobody else has a say.
    explicit VoteBoard(Checks checks, OwnHealth own = {})
        : checks_(std::move(checks)), own_(std::move(own)) {}

    /// Judges by these rules from now on. Votes about targets that are not among them are kept:
    /// another member may have loaded the new configuration before us.
    void apply(Rules rules);
    /// What was jointly known in an earlier process, by joint_key().
    void restore(const SavedVerdicts& joint, Clock::time_point now);
    SavedVerdicts joint(Clock::time_point now) const;

    /// False when it is old news, or comes in our own name.
    bool take(const Vote& vote, Clock::time_point now);
    /// Whether a gslb of another site is heard; none: there is no such peer.
    void set_peer(Sign peer) { peer_ = peer; }

    /// Looks at everything anew. To be called when checks, votes or peers changed, and each second,
    /// since votes grow old. True when the health of some target changed. Logs when we become, or
    /// cease to be, isolated.
    bool refresh(Clock::time_point now);

    /// Nobody else has a say, so that nothing changes but by our own checks.
    bool is_alone() const {
        return peer_ == Sign::none && rules_.witnesses.empty() && book_.size() == 0 &&
               checks_(kOwnLink).empty();
    }
    /// As of the last refresh. An id without rules is unknown.
    Health health(std::string_view id) const;
    Stance stance() const { return stance_; }
    const Surroundings& surroundings() const { return around_; }
    std::vector<JudgedCheck> judged(std::string_view id, Clock::time_point now) const;
    const Rules& rules() const { return rules_; }
    std::size_t votes() const { return book_.size(); }

private:
    struct Joint {
        State state = State::unknown;
        Clock::time_point at;
    };
    static std::string joint_key(std::string_view id, std::string_view check);
    Surroundings look_around(Clock::time_point now) const;
    Sign own_link() const;
    Sign peer(Clock::time_point now) const;
    Sign witness(Clock::time_point now) const;
    bool all_remote_down() const;
    Health judge_target(const std::string& id, const Target& target, Clock::time_point now);
    Health judge_check(
        const std::string& id, const Target& target, const CheckView& check, Clock::time_point now
    );
    void log_stance(Stance before) const;

    const Checks checks_;
    const OwnHealth own_;
    Rules rules_;
    VoteBook book_;
    Sign peer_ = Sign::none;
    Surroundings around_;
    Stance stance_ = Stance::alone;
    std::map<std::string, Joint, std::less<>> joint_;  ///< by joint_key()
    std::map<std::string, Clock::time_point, std::less<>>
        witnessed_;  ///< last word of each witness
    std::map<std::string, Health, std::less<>> health_;
};

}  // namespace twinsite::gslb::health
