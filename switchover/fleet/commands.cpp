// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/commands.hpp"

#include <algorithm>
#include <utility>

namespace twinsite::switchover::fleet {
namespace {

using std::chrono::milliseconds;
using wire::contract::Command;
using wire::contract::CommandResult;
using wire::contract::CommandState;
using wire::contract::Identity;

/// How long after its validity an order waits for the result of an agent that runs it.
constexpr milliseconds kGrace{60'000};
constexpr milliseconds kMaxWait{60'000};
constexpr std::size_t kMostAtOnce = 100;

/// Time passed since it was issued, which is all that agents judge its validity by.
std::uint64_t age_ms(Time issued, Time now) {
    const auto age = std::chrono::duration_cast<milliseconds>(now - issued).count();
    return age < 0 ? 0 : static_cast<std::uint64_t>(age);
}

milliseconds validity(const Command& command) {
    constexpr std::uint64_t kDay = 24ULL * 3600 * 1000;
    return milliseconds(std::min(command.valid_for_ms, kDay));
}

}  // namespace

Commands::Commands(const Roster& roster, CommandSettings settings, OnResult on_result)
    : settings_(std::move(settings)), on_result_(std::move(on_result)) {
    for (const auto& agent : roster.agents) {
        site_of_[wire::contract::host_id(agent.site, agent.name)] = agent.site;
        monitors_of_[agent.site];
    }
    for (const auto& monitor : roster.monitors)
        monitors_of_[monitor.site].push_back(
            wire::contract::to_uri({monitor.site, "monitor", monitor.name})
        );
}

bool Commands::speaks_for(const Identity& who, const std::string& agent) const {
    if (who.role == "agent") return wire::contract::host_id(who.site, who.name) == agent;
    const auto at = site_of_.find(agent);
    return who.role == "monitor" && at != site_of_.end() && at->second == who.site;
}

Commands::Submitted Commands::submit(Command order, Time now) {
    if (!site_of_.contains(order.agent)) return Submitted::unknown_agent;
    if (const auto known = results_.find(order.op_id); known != results_.end()) {
        const auto result = known->second;  // the listener may change what is kept
        if (on_result_) on_result_(result);
        return Submitted::known;
    }
    const auto waiting = op_ids_.find(order.agent);
    if (waiting != op_ids_.end() && waiting->second.size() >= settings_.pending_per_agent &&
        !waiting->second.contains(order.op_id))
        return Submitted::full;
    order.server = settings_.server;
    order.certificate = settings_.certificate;
    order.signature = settings_.sign(wire::contract::signing_bytes(order));
    if (order.signature.empty()) return Submitted::not_signed;
    forget(order.op_id);
    const auto op_id = order.op_id;
    const auto agent = order.agent;
    op_ids_[agent].insert(op_id);
    orders_[op_id] = Order{std::move(order), now, {}};
    ++counters_.submitted;
    wake_pollers_of(agent, now);
    return Submitted::queued;
}

/// Answers the agent and the monitors of its site, if they wait.
void Commands::wake_pollers_of(const std::string& agent, Time now) {
    const auto identity = wire::contract::agent_of(agent);
    std::vector<std::string> names = monitors_of_.at(site_of_.at(agent));
    if (identity) names.push_back(wire::contract::to_uri(*identity));
    for (const auto& name : names) {
        const auto at = polls_.find(name);
        if (at == polls_.end()) continue;
        auto commands = due(at->second.poller, now);
        if (commands.empty()) continue;
        const auto deliver = std::move(at->second.deliver);
        polls_.erase(at);
        deliver(std::move(commands));
    }
}

void Commands::forget(const std::string& op_id) {
    const auto at = orders_.find(op_id);
    if (at == orders_.end()) return;
    const auto waiting = op_ids_.find(at->second.command.agent);
    waiting->second.erase(op_id);
    if (waiting->second.empty()) op_ids_.erase(waiting);
    orders_.erase(at);
}

std::vector<Command> Commands::due(const Identity& poller, Time now) {
    std::vector<Command> out;
    const auto name = wire::contract::to_uri(poller);
    const auto take = [&](const std::set<std::string>& op_ids) {
        for (const auto& op_id : op_ids) {
            if (out.size() == kMostAtOnce) return;
            auto& order = orders_.at(op_id);
            if (now - order.issued > validity(order.command)) continue;
            const auto sent = order.sent.find(name);
            if (sent != order.sent.end() && now - sent->second < settings_.resend) continue;
            order.sent[name] = now;
            out.push_back(order.command);
            out.back().age_ms = age_ms(order.issued, now);
        }
    };
    if (poller.role == "agent") {
        const auto own = op_ids_.find(wire::contract::host_id(poller.site, poller.name));
        if (own != op_ids_.end()) take(own->second);
    } else {
        for (const auto& [agent, op_ids] : op_ids_)
            if (speaks_for(poller, agent)) take(op_ids);
    }
    counters_.sent += out.size();
    return out;
}

Commands::PollId Commands::poll(
    const Identity& poller, milliseconds wait, Time now, Deliver deliver
) {
    const auto id = ++last_poll_;
    const auto name = wire::contract::to_uri(poller);
    if (const auto old = polls_.find(name); old != polls_.end()) {
        const auto answer = std::move(old->second.deliver);
        polls_.erase(old);
        answer({});
    }
    auto commands = due(poller, now);
    if (!commands.empty() || wait <= milliseconds(0)) {
        deliver(std::move(commands));
        return id;
    }
    polls_[name] = Poll{id, poller, now + std::min(wait, kMaxWait), std::move(deliver)};
    return id;
}

void Commands::leave(PollId poll) {
    std::erase_if(polls_, [poll](const auto& entry) { return entry.second.id == poll; });
}

/// Answers those for whom there is something, and those whose wait is over.
void Commands::answer_waiting(Time now) {
    std::vector<std::pair<Deliver, std::vector<Command>>> answers;
    for (auto at = polls_.begin(); at != polls_.end();) {
        auto commands = orders_.empty() ? std::vector<Command>{} : due(at->second.poller, now);
        if (commands.empty() && now < at->second.until) {
            ++at;
            continue;
        }
        answers.emplace_back(std::move(at->second.deliver), std::move(commands));
        at = polls_.erase(at);
    }
    // Afterwards, as they may poll again from inside.
    for (auto& [deliver, commands] : answers) deliver(std::move(commands));
}

void Commands::take_results(const Identity& sender, const std::vector<CommandResult>& results) {
    for (const auto& result : results)
        if (take_result(sender, result) && on_result_) on_result_(result);
}

/// True when somebody waits for it.
bool Commands::take_result(const Identity& sender, const CommandResult& result) {
    if (!speaks_for(sender, result.agent)) {
        ++counters_.foreign_results;
        return false;
    }
    const auto at = orders_.find(result.op_id);
    if (at == orders_.end() || at->second.command.agent != result.agent) {
        if (!results_.contains(result.op_id)) ++counters_.unknown_results;
        return false;
    }
    ++counters_.results;
    if (!wire::contract::is_final(result.state)) return true;
    forget(result.op_id);
    // A refusal changed nothing: the same order may be given again, with a better fence say.
    if (result.state != CommandState::refused) keep_result(result);
    return true;
}

void Commands::keep_result(const CommandResult& result) {
    if (!results_.emplace(result.op_id, result).second) return;
    result_order_.push_back(result.op_id);
    result_bytes_ += result.output.size();
    while (result_order_.size() > settings_.results_kept ||
           result_bytes_ > settings_.result_bytes_kept) {
        const auto oldest = results_.find(result_order_.front());
        result_bytes_ -= oldest->second.output.size();
        results_.erase(oldest);
        result_order_.pop_front();
    }
}

void Commands::drop_expired(Time now) {
    std::vector<std::string> expired;
    for (const auto& [op_id, order] : orders_)
        if (now - order.issued > validity(order.command) + kGrace) expired.push_back(op_id);
    for (const auto& op_id : expired) forget(op_id);
    counters_.expired += expired.size();
}

void Commands::tick(Time now) {
    drop_expired(now);
    answer_waiting(now);
}

}  // namespace twinsite::switchover::fleet
