// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/async/deadline.hpp"
#include "switchover/execute/executor.hpp"
#include "wire/contract/desired.hpp"

/// gslbs, slbs, a store and agents as the executor sees them, in one process.
namespace twinsite::switchover::execute {

namespace json = boost::json;

/// A receiver that behaves as docs/decisions/0015 and 0016 say.
struct FakeMember {
    bool reachable = true;
    std::string refusal;  ///< Title of a 409 for every PUT; empty: takes them.
    wire::contract::Desired held;
    int puts = 0;
    int gets = 0;
    std::chrono::milliseconds delay{0};
    std::uint64_t clients = 7;
    // A release that goes on by `release_step` clients with each look at it.
    std::string release_op;
    std::string release_state = "idle";
    std::uint64_t released = 0;
    std::uint64_t release_step = 3;
    int releases = 0;
    int stops = 0;

    base::http::Response answer(const Member& member, const base::http::Request& request) {
        if (request.target == "/api/v1/desired" && request.method == "PUT") return put(request);
        if (request.target == "/api/v1/desired") return get(member);
        if (request.method == "POST") return release(request);
        if (request.method == "DELETE") {
            ++stops;
            release_state = "stopped";
        } else if (release_state == "running") {
            released = std::min(released + release_step, clients);
            if (released == clients) release_state = "done";
        }
        return body(
            {{"op_id", release_op},
             {"state", release_state},
             {"released", released},
             {"total", clients}}
        );
    }

private:
    static base::http::Response body(const json::object& value, unsigned status = 200) {
        base::http::Response out;
        out.status = status;
        out.body = json::serialize(value);
        return out;
    }
    base::http::Response put(const base::http::Request& request) {
        ++puts;
        const auto desired = wire::contract::decode_desired(request.body);
        if (!desired) return base::http::problem(422, "bad", desired.error().message());
        if (desired->fence < held.fence)
            return base::http::problem(
                409,
                "stale fence",
                "",
                "\"highest\":" + json::serialize(wire::contract::to_json(held.fence))
            );
        if (!refusal.empty()) return base::http::problem(409, refusal, "nothing would be left");
        held = *desired;
        return body({{"changed", true}});
    }
    base::http::Response get(const Member& member) {
        ++gets;
        json::array objects;
        for (const auto& each : held.objects)
            objects.push_back({{"object", each.object}, {"state", each.state}});
        json::object out{
            {"fence", wire::contract::to_json(held.fence)},
            {"server", held.server},
            {"objects", std::move(objects)},
        };
        if (member.kind == MemberKind::slb) {
            out["ready"] = true;
            out["blades"] = {{"active", 2}, {"total", 2}};
            out["clients"] = clients;
        } else {
            out["sites"] = json::array{
                {{"site", "east"},
                 {"service", "ocs"},
                 {"health", "down"},
                 {"control", "out"},
                 {"override", ""},
                 {"answering", false}}
            };
        }
        return body(out);
    }
    base::http::Response release(const base::http::Request& request) {
        const auto from = json::parse(request.body).as_object();
        const std::string op(from.at("op_id").as_string());
        if (op != release_op) {
            ++releases;
            release_op = op;
            release_state = "running";
            released = 0;
        }
        return body({{"op_id", op}, {"clients", clients}}, 202);
    }
};

class FakeCaller final : public Caller {
public:
    std::map<std::string, FakeMember> members;

    boost::asio::awaitable<base::Result<base::http::Response>> call(
        const Member& member, base::http::Request request, std::chrono::milliseconds
    ) override {
        auto& fake = members[member.name];
        co_await base::async::sleep_for(fake.delay);
        if (!fake.reachable) co_return make_error_code(boost::system::errc::connection_refused);
        co_return fake.answer(member, request);
    }
};

class FakeAgents final : public AgentCommands {
public:
    struct Waiting {
        Order what;
        OnResult on_result;
    };
    std::map<std::string, Waiting> waiting;
    std::vector<std::string> forgotten;
    int orders = 0;

    void order(Order what, OnResult on_result) override {
        ++orders;
        const auto op_id = what.op_id;
        waiting[op_id] = {std::move(what), std::move(on_result)};
    }
    void forget(const std::string& op_id) override { forgotten.push_back(op_id); }

    void say(
        const std::string& op_id,
        wire::contract::CommandState state,
        int rc = 0,
        const std::string& output = {}
    ) {
        wire::contract::CommandResult result;
        result.op_id = op_id;
        result.state = state;
        result.rc = rc;
        result.output = output;
        waiting.at(op_id).on_result(result);
    }
};

/// An executor in this world, with what it reported.
class World {
public:
    World() {
        settings.server = "twinsite://arbiter/switchover/sw";
        settings.members = {
            make("gslb-east", "east", MemberKind::gslb),
            make("gslb-west", "west", MemberKind::gslb),
            make("slb-west", "west", MemberKind::slb),
        };
        settings.ask_every = std::chrono::milliseconds(20);
        settings.tell_every = std::chrono::hours(1);
        settings.check_every = std::chrono::milliseconds(10);
        for (const auto& member : settings.members) caller.members[member.name];
    }
    ~World() {
        executor.reset();
        // All that was under way must end by itself now.
        io.restart();
        for (int i = 0; i < 1'000 && io.run_one_for(std::chrono::milliseconds(50)) > 0; ++i) {
        }
        EXPECT_TRUE(io.stopped());
    }

    static Member make(const std::string& name, const std::string& site, MemberKind kind) {
        Member out;
        out.name = name;
        out.site = site;
        out.kind = kind;
        return out;
    }

    /// Builds the executor and starts it.
    void begin() {
        Seams seams;
        seams.fence = [this] { return fence; };
        seams.wanted = [this]() -> base::Result<std::vector<store::WantedState>> {
            if (store_broken) return make_error_code(boost::system::errc::io_error);
            return wanted;
        };
        seams.want = [this](const store::WantedState& state) -> base::Result<void> {
            if (store_broken) return make_error_code(boost::system::errc::io_error);
            std::erase_if(wanted, [&](const store::WantedState& each) {
                return each.receiver == state.receiver && each.object == state.object;
            });
            if (state.state != "in" && state.state != "active") wanted.push_back(state);
            return {};
        };
        seams.fact = [this](const scenario::Expression& asked) -> std::optional<std::string> {
            const auto found = facts.find(asked.fact());
            if (found == facts.end()) return std::nullopt;
            return found->second;
        };
        seams.notify = [this](const std::string& text) { notes.push_back(text); };
        seams.outranked = [this](const Member& member, const wire::contract::Fence& highest) {
            outranked_by[member.name] = highest;
        };
        seams.seen = [this](const MemberView& view) { ++seen[view.member.name]; };
        seams.wall_ms = [] { return std::int64_t{1'800'000'000'000}; };
        seams.caller = &caller;
        seams.agents = &agents;
        executor.emplace(io.get_executor(), settings, std::move(seams));
        executor->run();
    }

    /// Lets things happen until `over`; false after 5 s.
    bool until(const std::function<bool()>& over) {
        const auto end = Clock::now() + std::chrono::seconds(5);
        while (!over()) {
            if (Clock::now() > end) return false;
            io.restart();
            io.run_one_for(std::chrono::milliseconds(10));
        }
        return true;
    }
    /// Until every member was asked once.
    bool met() {
        return until([this] { return seen.size() == settings.members.size(); });
    }

    void start(const scenario::Effect& effect) {
        executor->start(effect, [this](scenario::Event event) {
            if (event.outcome == scenario::Event::Outcome::progress)
                progress.push_back(event.output);
            else
                ended[event.op_id].push_back(event);
        });
    }
    /// Carries an effect out and gives its end.
    scenario::Event carry_out(const scenario::Effect& effect) {
        start(effect);
        if (!until([&] { return ended.contains(effect.op_id); })) return {};
        return ended.at(effect.op_id).front();
    }

    const MemberView view(const std::string& name) const {
        for (const auto& each : executor->members())
            if (each.member.name == name) return each;
        return {};
    }

    boost::asio::io_context io{1};
    Settings settings;
    FakeCaller caller;
    FakeAgents agents;
    std::optional<wire::contract::Fence> fence{{1, 5}};
    std::vector<store::WantedState> wanted;
    bool store_broken = false;
    std::map<std::string, std::string> facts;
    std::vector<std::string> notes;
    std::map<std::string, wire::contract::Fence> outranked_by;
    std::map<std::string, int> seen;
    std::vector<std::string> progress;
    std::map<std::string, std::vector<scenario::Event>> ended;
    std::optional<Executor> executor;
};

inline scenario::Effect make_act(
    const std::string& name,
    std::map<std::string, std::string> parameters,
    const std::string& op_id = "r1-a-1"
) {
    scenario::Effect out;
    out.kind = scenario::Effect::Kind::act;
    out.op_id = op_id;
    out.step = "a";
    out.action = {name, std::move(parameters)};
    out.limit = std::chrono::milliseconds(2'000);
    out.reason = "run r1 of sample";
    return out;
}

inline scenario::Effect make_check(
    const std::vector<std::string>& checks,
    std::chrono::milliseconds limit,
    std::chrono::milliseconds hold = std::chrono::milliseconds(0)
) {
    scenario::Effect out;
    out.kind = scenario::Effect::Kind::check;
    out.op_id = "r1-a-1.post";
    out.step = "a";
    for (const auto& text : checks) {
        std::string why;
        out.checks.push_back(scenario::parse_expression(text, why).value());
    }
    out.limit = limit;
    out.hold = hold;
    return out;
}

}  // namespace twinsite::switchover::execute
