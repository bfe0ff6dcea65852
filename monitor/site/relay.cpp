// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/relay.hpp"

#include <algorithm>
#include <utility>

namespace twinsite::monitor::site {
namespace {

using wire::contract::Command;
using wire::contract::CommandResult;

std::uint64_t age_of(const Command& command, Relay::Time held) {
    return command.age_ms + static_cast<std::uint64_t>(std::max(held, Relay::Time(0)).count());
}

}  // namespace

std::set<std::string> Relay::add(
    std::size_t server, const std::vector<Command>& commands, Time now
) {
    std::set<std::string> out;
    for (const auto& command : commands) {
        const Key key{command.agent, command.op_id};
        const auto known = pending_.find(key);
        if (known != pending_.end()) {
            known->second.servers.insert(server);
            // A new leader asks the same with a higher fence: that is the one to hand on.
            if (command.fence <= known->second.command.fence) continue;
            known->second.command = command;
            known->second.arrived = now;
            known->second.next = now;
        } else {
            if (pending_.size() >= kMaxPending) continue;
            pending_[key] = {command, now, now, {server}};
        }
        out.insert(command.agent);
    }
    return out;
}

std::vector<Command> Relay::due(const std::string& agent, Time now) {
    std::vector<Command> out;
    for (auto at = pending_.lower_bound({agent, ""});
         at != pending_.end() && at->first.agent == agent;
         ++at) {
        const auto& pending = at->second;
        if (now < pending.next || out.size() >= wire::contract::kMaxCommands) continue;
        out.push_back(pending.command);
        out.back().age_ms = age_of(pending.command, now - pending.arrived);
    }
    return out;
}

std::set<std::size_t> Relay::answered(const CommandResult& result, Time now) {
    const auto at = pending_.find({result.agent, result.op_id});
    if (at == pending_.end()) return {};
    auto servers = at->second.servers;
    if (is_final(result.state))
        pending_.erase(at);
    else
        at->second.next = now + kAskAgain;
    return servers;
}

void Relay::trim(Time now) {
    const auto keep = static_cast<std::uint64_t>(Time(kKeepExpired).count());
    std::erase_if(pending_, [&](const auto& entry) {
        const auto& pending = entry.second;
        const auto age = age_of(pending.command, now - pending.arrived);
        return age > keep && age - keep > pending.command.valid_for_ms;
    });
}

}  // namespace twinsite::monitor::site
