// SPDX-License-Identifier: Apache-2.0
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
    std::string wrong;  ///< It failed there.
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

asio::awaitable<void> look(const Hands& hands, const scenario::Effect& effect, Part& part) {
    http::Request request;
    request.target = kPath;
    const auto answer = co_await hands.seams.caller->call(
        *part.member, std::move(request), hands.settings.call_limit
    );
    if (!answer || answer->status != kGood) co_return;
    const auto state = read_release_answer(answer->body);
    if (!state) co_return;
    if (state->op_id != effect.op_id) {
        part.wrong = state->op_id.empty() ? "it was started anew meanwhile"
                                          : "another release runs: " + state->op_id;
        co_return;
    }
    part.released = state->released;
    part.total = state->total;
    part.over = state->state == "done";
    if (state->state == "stopped") part.wrong = "it was stopped";
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
        if (part.begun && !part.over && part.wrong.empty()) return true;
    return false;
}

Finished judge(const std::vector<Part>& parts) {
    bool someone = false;
    for (const auto& part : parts) {
        if (!part.wrong.empty()) return failed(describe(parts));
        someone = someone || part.over;
    }
    return someone ? done(describe(parts)) : failed(describe(parts));
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
            if (part.begun) co_await look(hands, effect, part);
        }
        if (!any_at_work(parts)) co_return judge(parts);
        const auto text = describe(parts);
        if (Clock::now() >= until) co_return failed("not done in time: " + text);
        if (text != shown) progress(shown = text);
        co_await base::async::sleep_for(kLookEvery);
    }
}

asio::awaitable<void> stop_release(Hands hands, scenario::Effect effect) {
    const auto& site = effect.action.parameters.at("site");
    for (const auto index : members_of(hands, MemberKind::slb, site)) {
        http::Request request;
        request.method = "DELETE";
        request.target = kPath;
        if (const auto fence = hands.seams.fence()) {
            request.headers.emplace_back("Content-Type", "application/json");
            request.body = boost::json::serialize(
                boost::json::object{{"fence", wire::contract::to_json(*fence)}}
            );
        }
        // Who cannot be reached has its own pace; there is nobody to tell.
        const auto answer = co_await hands.seams.caller->call(
            hands.members.view(index).member, std::move(request), hands.settings.call_limit
        );
        static_cast<void>(answer);
    }
}

}  // namespace twinsite::switchover::execute
