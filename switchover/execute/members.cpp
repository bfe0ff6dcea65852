// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/members.hpp"

#include <utility>

#include "base/async/token.hpp"
#include "base/log/log.hpp"
#include "switchover/execute/member_answer.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
namespace http = base::http;
namespace log = base::log;

namespace {

constexpr const char* kPath = "/api/v1/desired";
constexpr unsigned kGood = 200;
constexpr unsigned kItsOwnFault = 500;  // it did not refuse: it could not

http::Request make_put(const wire::contract::Desired& desired) {
    http::Request out;
    out.method = "PUT";
    out.target = kPath;
    out.body = encode(desired);
    out.headers.emplace_back("Content-Type", "application/json");
    return out;
}

}  // namespace

Members::Members(asio::any_io_executor thread, const Settings& settings, const Seams& seams)
    : settings_(settings), seams_(seams) {
    for (const auto& member : settings_.members) {
        each_.push_back(std::make_shared<Each>(thread));
        each_.back()->view.member = member;
    }
}

void Members::run(base::async::TaskGroup& tasks, const std::shared_ptr<void>& owner) {
    for (const auto& at : each_) tasks.start(look_after(at, owner));
}

std::uint64_t Members::tell_all() {
    ++ticket_;
    for (const auto& at : each_) at->timer.cancel();
    return ticket_;
}

asio::awaitable<void> Members::look_after(std::shared_ptr<Each> at, std::shared_ptr<void> owner) {
    for (;;) {
        const auto next_ask = Clock::now() + settings_.ask_every;
        const bool due = at->told.ticket < ticket_ || Clock::now() >= at->next_tell;
        if (due) co_await tell(*at);
        co_await ask(*at);
        if (!due && at->view.reachable && !at->view.in_sync) {
            co_await tell(*at);
            co_await ask(*at);
        }
        if (at->told.ticket < ticket_) continue;
        at->timer.expires_at(next_ask);
        // Ends early when there is something to tell.
        const auto [ended] = co_await at->timer.async_wait(base::async::as_result);
        static_cast<void>(ended);
    }
}

asio::awaitable<void> Members::tell(Each& at) {
    Told told;
    told.ticket = ticket_;
    at.next_tell = Clock::now() + settings_.tell_every;
    const auto fence = seams_.fence();
    const auto wanted = seams_.wanted();
    if (!fence || !wanted) {
        told.outcome = Told::Outcome::refused;
        told.text = fence ? "what is wanted cannot be read: " + wanted.error().message()
                          : "this server does not lead";
        at.told = told;
        co_return;
    }
    auto request = make_put(make_desired(at.view.member, *wanted, *fence, settings_.server));
    const auto answer =
        co_await seams_.caller->call(at.view.member, std::move(request), settings_.call_limit);
    if (!answer) {
        told.outcome = Told::Outcome::unreachable;
        told.text = answer.error().message();
    } else if (answer->status == kGood) {
        told.outcome = Told::Outcome::done;
    } else if (answer->status >= kItsOwnFault) {
        told.outcome = Told::Outcome::unreachable;
        told.text = explain_refusal(*answer);
    } else {
        told.outcome = Told::Outcome::refused;
        told.text = explain_refusal(*answer);
        if (told.text != at.told.text)
            log::event(
                log::Level::warning,
                "wanted_state_refused",
                {{"member", at.view.member.name}, {"why", told.text}}
            );
        if (const auto highest = read_stale_fence(*answer); highest && *highest > *fence)
            seams_.outranked(at.view.member, *highest);
    }
    at.told = std::move(told);
}

asio::awaitable<void> Members::ask(Each& at) {
    http::Request request;
    request.target = kPath;
    const auto answer =
        co_await seams_.caller->call(at.view.member, std::move(request), settings_.call_limit);
    take_answer(at, answer);
}

void Members::take_answer(Each& at, const base::Result<http::Response>& answer) {
    auto& view = at.view;
    const bool was_reachable = view.reachable;
    const bool first = !view.asked.has_value();
    view.asked = Clock::now();
    view.detail.clear();
    if (!answer)
        view.detail = answer.error().message();
    else if (answer->status != kGood)
        view.detail = explain_refusal(*answer);
    else if (!read_desired_answer(answer->body, view))
        view.detail = "its answer cannot be read";
    view.reachable = view.detail.empty();
    if (view.reachable) view.heard = view.asked;
    view.in_sync = view.reachable && compare(at);
    if (first || was_reachable != view.reachable) note_change(view, was_reachable);
    seams_.seen(view);
}

/// Whether it holds what we want, with the reason in `detail` when not.
bool Members::compare(Each& at) const {
    auto& view = at.view;
    const auto fence = seams_.fence();
    const auto wanted = seams_.wanted();
    if (!wanted) {
        view.detail = "what is wanted cannot be read";
        return false;
    }
    // A server that does not lead compares the lists alone.
    const auto desired =
        make_desired(view.member, *wanted, fence.value_or(*view.fence), settings_.server);
    if (holds(view, desired)) return true;
    view.detail = at.told.outcome == Told::Outcome::refused ? "refused: " + at.told.text
                                                            : "does not hold what is wanted yet";
    if (fence && *view.fence > *fence) seams_.outranked(view.member, *view.fence);
    return false;
}

void Members::note_change(const MemberView& view, bool was_reachable) const {
    if (view.reachable)
        log::event(log::Level::info, "steered_member_back", {{"member", view.member.name}});
    else
        log::event(
            log::Level::warning,
            "steered_member_lost",
            {{"member", view.member.name}, {"was_there", was_reachable}, {"why", view.detail}}
        );
}

}  // namespace twinsite::switchover::execute
