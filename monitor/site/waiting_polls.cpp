// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/waiting_polls.hpp"

namespace twinsite::monitor::site {
namespace {

namespace http = base::http;

http::Response nothing() {
    http::Response out;
    out.status = 204;
    return out;
}

bool answer(const http::Reply& reply, const std::vector<wire::contract::Command>& commands) {
    if (commands.empty()) return false;
    http::Response out;
    out.body = wire::contract::encode_commands(commands);
    reply.reply(std::move(out));
    return true;
}

}  // namespace

void WaitingPolls::add(const std::string& agent, http::Reply reply, Time until, const Due& due) {
    const auto old = waiting_.find(agent);
    if (old != waiting_.end()) {
        old->second.reply.reply(nothing());
        waiting_.erase(old);
    }
    if (answer(reply, due(agent))) return;
    waiting_.emplace(agent, Waiting{std::move(reply), until});
}

void WaitingPolls::look(const std::string& agent, const Due& due) {
    const auto at = waiting_.find(agent);
    if (at != waiting_.end() && answer(at->second.reply, due(agent))) waiting_.erase(at);
}

void WaitingPolls::sweep(Time now, const Due& due) {
    std::erase_if(waiting_, [&](const auto& entry) {
        const auto& waiting = entry.second;
        if (!waiting.reply.waiting()) return true;
        if (answer(waiting.reply, due(entry.first))) return true;
        if (now < waiting.until) return false;
        waiting.reply.reply(nothing());
        return true;
    });
}

}  // namespace twinsite::monitor::site
