// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/health/schedule.hpp"
#include "gslb/health/verdict.hpp"

/// What several observers think of one check, and what we make of it. Pure: the clock is the
/// caller's. Two members with equal votes come to equal results.
namespace twinsite::gslb::health {

/// What one observer says of one check of one target: its own state after its own thresholds,
/// never what it heard from others.
struct Vote {
    std::string observer;   ///< Node name of a gslb, or the name of an agent, monitor or witness.
    std::string target;     ///< "ocs/ocs-east": SERVICE/TARGET.
    std::string check;      ///< check_key(); a name without '@' speaks for all addresses.
    std::uint64_t seq = 0;  ///< Grows with every result of the observer.
    State result = State::unknown;    ///< unknown abstains.
    std::chrono::microseconds rtt{};  ///< Of the observer's last result; 0: not measured.
    std::chrono::milliseconds age{};  ///< Of the observer's last result, when it was sent.

    auto operator<=>(const Vote&) const = default;
};

/// How a check of a target is named among observers: "web@192.0.2.1:80".
std::string check_key(std::string_view name, std::string_view endpoint);

/// How many up votes a check needs to be up, of those that do not abstain.
struct Quorum {
    enum class Kind : std::uint8_t {
        any,       ///< one
        majority,  ///< half of them: a tie is up, so that no single observer takes a target out
        all,
        count,  ///< `least`, or all when there are fewer
    };
    Kind kind = Kind::majority;
    std::uint32_t least = 1;  ///< Kind::count only; at least 1.

    auto operator<=>(const Quorum&) const = default;
};
/// "any", "majority", "all" or a number from 1 to 1000; nullopt for anything else.
std::optional<Quorum> parse_quorum(std::string_view text);
std::string to_string(const Quorum& quorum);

/// Unknown when nobody votes up or down.
State count_votes(std::span<const State> votes, const Quorum& quorum);

/// Somebody or something around us, as a source of knowledge.
enum class Sign : std::uint8_t {
    none,  ///< there is no such thing
    bad,   ///< our link is down; the peer or the witness is silent
    good,  ///< our link works; the peer or the witness is heard
};
const char* to_string(Sign sign);

/// Where we stand, for the question whether what we see is the world or ourselves.
struct Surroundings {
    Sign own_link = Sign::none;    ///< Points outside that this site reaches when its link works.
    Sign peer = Sign::none;        ///< Good when one gslb of another site is heard.
    Sign witness = Sign::none;     ///< Good when one witness is heard.
    bool remote_all_down = false;  ///< We see all checks of all other sites down; there are some.

    auto operator<=>(const Surroundings&) const = default;
};

/// What our own votes about other sites are worth.
enum class Stance : std::uint8_t {
    alone,     ///< No peer and no witness in the configuration: our own votes decide.
    member,    ///< Votes are counted.
    isolated,  ///< We are the ones cut off: what was jointly known of other sites stays.
};
const char* to_string(Stance stance);

/// The rule table. Silence of a peer is never a vote: it only takes worth from ours, and only
/// when we see nothing alive elsewhere and do not know that our own link works.
Stance find_stance(const Surroundings& around);

/// The newest vote of each observer about each check, as heard.
class VoteBook {
public:
    struct Kept {
        Vote vote;
        Clock::time_point heard;  ///< Less the age it had then: when the result was found.
    };
    /// False when an equal or newer one of this observer is there. A vote with a lower `seq` is
    /// newer when its result is younger by more than kAnew: the observer began to count anew.
    bool take(const Vote& vote, Clock::time_point now);
    /// All votes about a check of a target, also those that speak for all its addresses, by
    /// observer. An observer's vote about exactly this check goes before its general one.
    std::vector<const Kept*> find(std::string_view target, std::string_view check) const;
    /// Takes out what is older than `limit`.
    void forget(Clock::time_point now, Clock::duration limit = kForget);
    std::size_t size() const { return votes_.size(); }

    /// Older than this a vote is of no use to anybody.
    static constexpr std::chrono::minutes kForget{60};
    static constexpr std::chrono::seconds kAnew{10};
    /// A bound on what others can make us keep; beyond it votes of new observers or about new
    /// checks are not taken.
    static constexpr std::size_t kMost = 1'000'000;

private:
    struct Key {
        std::string target;
        std::string check;
        std::string observer;
        auto operator<=>(const Key&) const = default;
    };
    std::map<Key, Kept> votes_;
};

/// A vote counts while it is at most this many intervals of its check old; then it abstains.
constexpr int kFreshIntervals = 3;
bool is_fresh(
    const VoteBook::Kept& kept, std::chrono::milliseconds interval, Clock::time_point now
);

/// What a check is judged from.
struct Ballot {
    State own = State::unknown;  ///< Of our own check, after thresholds.
    std::vector<State> others;   ///< Of fresh votes of others only.
    bool remote = false;         ///< The target is at another site.
};
/// `joint` is what was last jointly known: the last result with a fresh vote of somebody else in
/// it; unknown before there was one, and then our own state stands.
State judge(const Ballot& ballot, const Quorum& quorum, Stance stance, State joint);

}  // namespace twinsite::gslb::health
