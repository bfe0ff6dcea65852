// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/process.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::monitor::collect {
namespace {

constexpr std::size_t kState = 0;   // words behind the command: field 3 of proc(5)
constexpr std::size_t kStart = 19;  // field 22

enum class Sign : std::uint8_t { alive, halted, dead };

// D waits for a device, T and t are stopped: alive, unless it lasts. Z and X are dead, unless a
// thread goes on without its leader.
Sign sign_of(const Instance& instance) {
    switch (instance.state) {
        case 'D':
        case 'T':
        case 't':
            return Sign::halted;
        case 'Z':
        case 'X':
            return instance.thread_alive ? Sign::alive : Sign::dead;
        default:
            return Sign::alive;
    }
}

}  // namespace

std::string_view to_string(ProcessState state) {
    switch (state) {
        case ProcessState::up:
            return "up";
        case ProcessState::stuck:
            return "stuck";
        case ProcessState::down:
            return "down";
        case ProcessState::unknown:
            break;
    }
    return "unknown";
}

std::optional<StatLine> parse_stat(std::string_view text) {
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    const auto pid = base::text::parse_number<std::int32_t>(base::text::trim(text.substr(0, open)));
    const auto rest = base::text::words(base::text::trim(text.substr(close + 1)));
    if (!pid || rest.size() <= kStart || rest[kState].size() != 1) return std::nullopt;
    const auto start = base::text::parse_number<std::uint64_t>(rest[kStart]);
    if (!start) return std::nullopt;
    return StatLine{
        *pid, std::string(text.substr(open + 1, close - open - 1)), rest[kState][0], *start
    };
}

void ProcessWatch::follow(const std::vector<Instance>& instances, ProcessTime now) {
    std::vector<Known> next;
    std::uint64_t fresh = 0;
    for (const auto& instance : instances) {
        if (sign_of(instance) == Sign::dead) continue;
        const auto before = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
            return known.identity == instance.identity;
        });
        Known entry = before != known_.end() ? *before : Known{instance.identity, {}, false};
        if (before == known_.end()) ++fresh;
        const bool halted = sign_of(instance) == Sign::halted;
        if (halted && !entry.halted) entry.halted_since = now;
        entry.halted = halted;
        next.push_back(entry);
    }
    if (seen_before_) {
        vanished_ += known_.size() + fresh - next.size();
        const auto replaced = std::min(fresh, vanished_);
        restarts_ += replaced;
        vanished_ -= replaced;
    }
    seen_before_ = true;
    known_ = std::move(next);
}

ProcessState ProcessWatch::judge(unsigned up, unsigned stuck, bool hidden) const {
    if (up >= min_) return ProcessState::up;
    if (hidden) return ProcessState::unknown;
    return up + stuck >= min_ && stuck > 0 ? ProcessState::stuck : ProcessState::down;
}

ProcessVerdict ProcessWatch::look(
    const std::vector<Instance>& instances, bool hidden, ProcessTime now
) {
    follow(instances, now);
    unsigned stuck = 0;
    for (const auto& known : known_)
        if (known.halted && now - known.halted_since >= stuck_after_) ++stuck;
    ProcessVerdict out;
    out.count = static_cast<unsigned>(known_.size());
    out.restarts = restarts_;
    out.state = judge(out.count - stuck, stuck, hidden);
    for (const auto& known : known_)
        if (!out.oldest || known.identity.start < out.oldest->start) out.oldest = known.identity;
    const bool leaderless =
        std::any_of(instances.begin(), instances.end(), [](const Instance& instance) {
            return instance.state == 'Z' && instance.thread_alive;
        });
    if (out.state == ProcessState::unknown)
        out.detail = "not allowed to look at it";
    else if (out.count > max_)
        out.detail = std::to_string(out.count) + " instances, at most " + std::to_string(max_);
    else if (out.count < min_)
        out.detail = std::to_string(out.count) + " of " + std::to_string(min_) + " instances";
    else if (stuck > 0)
        out.detail = std::to_string(stuck) + " stopped or waiting for a device";
    else if (leaderless)
        out.detail = "the main thread has ended, others go on";
    return out;
}

}  // namespace twinsite::monitor::collect
