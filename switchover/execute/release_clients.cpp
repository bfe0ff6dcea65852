// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/async/deadline.hpp"
#include "base/text/text.hpp"
#include "switchover/execute/hands.hpp"
#include "switchover/execute/member_answer.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
namespace http = base::http;

namespace {

constexpr const char* kPath = "/api/v1/release";
constexpr std::chrono::milliseconds kLookEvery{500};
constexpr unsigned kAccepted = 202;
constexpr unsigned kGood = 200;
constexpr int kUsualRate = 5;

/// One slb's part of it.
struct Part {
    const Member* member = nullptr;
    bool begun = false;
    bool over = false;
    bool stopped = false;  ///< By somebody: the same op_id never goes on.
    std::string wrong;     ///< It failed there.
    std::uint64_t released = 0;
    std::uint64_t total = 0;
};

http::Request make_post(const scenario::Effect& effect, const wire::contract::Fence& fence) {
    const auto& given = effect.action.parameters;
    const auto rate = given.find("rate");
    const auto per_second = rate == given.end()
                                ? kUsualRate
                                : base::text::parse_number<int>(rate->second).value_or(kUsualRate);
    http::Request out;
    out.method = "POST";
    out.target = kPath;
    out.headers.emplace_back("Content-Type", "application/json");
    out.body = boost::json::serialize(boost::json::object{
        {"fence", wire::contract::to_json(fence)},
        {"op_id", effect.op_id},
        {"rate_per_s", per_second},
        {"cause", "REBOOTING"},
    });
    return out;
}

asio::awaitable<void> begin(const Hands& hands, const scenario::Effect& effect, Part& part) {
    const auto fence = hands.seams.fence();
    if (!fence) {
        part.wrong = "this server does not lead";
        co_return;
    }
    auto request = make_post(effect, *fence);
    const auto answer = co_await hands.seams.caller->call(
        *part.member, std::move(request), hands.settings.call_limit
    );
    if (!answer) co_return;  // once more with the next look
    if (answer->status == kAccepted || answer->status == kGood)
        part.begun = true;
    else
        part.wrong = explain_refusal(*answer);
}

/// Whether it said how our release is.
asio::awaitable<bool> look(
    const Hands& hands, const scenario::Effect& effect, Part& part, std::chrono::milliseconds limit
) {
    http::Request request;
    request.target = kPath;
    const auto answer = co_await hands.seams.caller->call(*part.member, std::move(request), limit);
    if (!answer || answer->status != kGood) co_return false;
    const auto state = read_release_answer(answer->body);
    if (!state) co_return false;
    if (state->op_id != effect.op_id) {
        part.wrong = state->op_id.empty() ? "it was started anew meanwhile"
                                          : "another release runs: " + state->op_id;
        co_return false;
    }
    part.released = state->released;
    part.total = state->total;
    part.over = state->state == "done";
    part.stopped = state->state == "stopped";
    if (part.stopped) part.wrong = "it was stopped";
    co_return true;
}

http::Request make_delete(const Hands& hands) {
    http::Request out;
    out.method = "DELETE";
    out.target = kPath;
    if (const auto fence = hands.seams.fence()) {
        out.headers.emplace_back("Content-Type", "application/json");
        out.body =
            boost::json::serialize(boost::json::object{{"fence", wire::contract::to_json(*fence)}});
    }
    return out;
}

std::chrono::milliseconds left_until(Clock::time_point end) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
}

/// Nobody waits for this release any more: it is stopped where it may still go on, else the next
/// try would find it running. All within one call's time: the step must hear of its failure before
/// it takes it for lost.
asio::awaitable<void> give_up(
    const Hands& hands, const scenario::Effect& effect, std::vector<Part>& parts
) {
    const auto end = Clock::now() + hands.settings.call_limit;
    for (auto& part : parts) {
        if (part.over || !part.wrong.empty()) continue;
        // One whose answer was lost may be at work all the same; another's release is not ours.
        bool ours = part.begun;
        if (!ours && left_until(end).count() > 0)
            ours = co_await look(hands, effect, part, left_until(end));
        if (!ours || part.over || part.stopped || left_until(end).count() <= 0) continue;
        auto request = make_delete(hands);
        const auto answer =
            co_await hands.seams.caller->call(*part.member, std::move(request), left_until(end));
        static_cast<void>(answer);
    }
}

std::string describe(const std::vector<Part>& parts) {
    std::uint64_t released = 0;
    std::uint64_t total = 0;
    std::string notes;
    for (const auto& part : parts) {
        released += part.released;
        total += part.total;
        const auto why = !part.begun && part.wrong.empty() ? "not reached" : part.wrong;
        if (!why.empty()) notes += "; " + part.member->name + ": " + why;
    }
    return std::to_string(released) + " of " + std::to_string(total) + " clients released" + notes;
}

bool any_at_work(const std::vector<Part>& parts) {
    for (const auto& part : parts)
        if (!part.over && part.wrong.empty()) return true;  // also one that was not reached yet
    return false;
}

bool any_stopped(const std::vector<Part>& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.stopped; });
}

Finished judge(const std::vector<Part>& parts) {
    for (const auto& part : parts)
        if (!part.wrong.empty()) return failed(describe(parts));
    return done(describe(parts));
}

}  // namespace

asio::awaitable<Finished> release_clients(Hands hands, scenario::Effect effect, Progress progress) {
    const auto& site = effect.action.parameters.at("site");
    std::vector<Part> parts;
    for (const auto index : members_of(hands, MemberKind::slb, site)) {
        parts.emplace_back();
        parts.back().member = &hands.members.view(index).member;
    }
    if (parts.empty()) co_return failed("there is no slb at " + site);
    const auto until = Clock::now() + effect.limit;
    std::string shown;
    for (;;) {
        for (auto& part : parts) {
            if (!part.wrong.empty() || part.over) continue;
            if (!part.begun) co_await begin(hands, effect, part);
            if (part.begun) co_await look(hands, effect, part, hands.settings.call_limit);
        }
        if (!any_at_work(parts)) co_return judge(parts);
        const auto text = describe(parts);
        const bool late = Clock::now() >= until;
        if (late || any_stopped(parts)) {
            co_await give_up(hands, effect, parts);
            // Failed for certain: the next try is an operation of its own.
            co_return failed((late ? "not done in time: " : "") + text);
        }
        if (text != shown) progress(shown = text);
        co_await base::async::sleep_for(kLookEvery);
    }
}

asio::awaitable<void> stop_release(Hands hands, scenario::Effect effect) {
    const auto& site = effect.action.parameters.at("site");
    for (const auto index : members_of(hands, MemberKind::slb, site)) {
        auto request = make_delete(hands);
        // Who cannot be reached has its own pace; there is nobody to tell.
        const auto answer = co_await hands.seams.caller->call(
            hands.members.view(index).member, std::move(request), hands.settings.call_limit
        );
        static_cast<void>(answer);
    }
}

}  // namespace twinsite::switchover::execute
