// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/task_group.hpp"
#include "switchover/execute/seams.hpp"
#include "switchover/execute/settings.hpp"

namespace twinsite::switchover::execute {

/// How the last telling of a member went.
struct Told {
    enum class Outcome { none, done, unreachable, refused };
    std::uint64_t ticket = 0;  ///< It told what was wanted at this ticket, or later.
    Outcome outcome = Outcome::none;
    std::string text;  ///< Why not.
};

/// Asks every member how it is, and tells it what is wanted of it: every `tell_every`, at once
/// after a change, and at once when it does not hold our list (it was away, or lost it). One
/// coroutine a member, so that a slow one holds up no other. On one thread.
class Members {
public:
    /// `settings` and `seams` outlive it.
    Members(boost::asio::any_io_executor thread, const Settings& settings, const Seams& seams);

    /// Begins, in `tasks`; ends with them. `owner` keeps this alive until then.
    void run(base::async::TaskGroup& tasks, const std::shared_ptr<void>& owner);
    /// Has all members told what is wanted now. Their `told` with this ticket say how it went.
    std::uint64_t tell_all();

    std::size_t size() const { return each_.size(); }
    const MemberView& view(std::size_t index) const { return each_[index]->view; }
    const Told& told(std::size_t index) const { return each_[index]->told; }

private:
    struct Each {
        explicit Each(const boost::asio::any_io_executor& thread) : timer(thread) {}
        MemberView view;
        Told told;
        Clock::time_point next_tell{};
        boost::asio::steady_timer timer;
    };

    boost::asio::awaitable<void> look_after(std::shared_ptr<Each> at, std::shared_ptr<void> owner);
    boost::asio::awaitable<void> tell(Each& at);
    boost::asio::awaitable<void> ask(Each& at);
    void take_answer(Each& at, const base::Result<base::http::Response>& answer);
    bool compare(Each& at) const;
    void note_change(const MemberView& view, bool was_reachable) const;

    const Settings& settings_;
    const Seams& seams_;
    std::uint64_t ticket_ = 0;
    std::vector<std::shared_ptr<Each>> each_;
};

}  // namespace twinsite::switchover::execute
