// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/executor.hpp"

#include <map>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async/task_group.hpp"
#include "switchover/execute/hands.hpp"
#include "switchover/execute/members.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
using scenario::Effect;
using scenario::Event;

/// Kept alive by its coroutines, which the executor only asks to end when it is destroyed.
struct Executor::Core : std::enable_shared_from_this<Executor::Core> {
    struct Running {
        base::async::TaskGroup::Id task = 0;
        Effect effect;
        Report report;
    };

    Core(asio::any_io_executor on, Settings given, Seams from)
        : thread(std::move(on)),
          settings(std::move(given)),
          seams(std::move(from)),
          members(thread, settings, seams),
          tasks(thread) {}

    Hands hands() { return {settings, seams, members}; }
    static asio::awaitable<void> carry_out(std::shared_ptr<Core> core, Effect effect);
    static asio::awaitable<void> halt_release(std::shared_ptr<Core> core, Effect effect);
    asio::awaitable<Finished> act(Effect effect, Progress progress);
    void report_progress(const std::string& op_id, std::string text);
    void report_end(const std::string& op_id, Finished finished);
    /// Ends it without a report.
    void drop(const std::string& op_id);

    // fixed after construction
    const asio::any_io_executor thread;
    const Settings settings;
    const Seams seams;
    Members members;
    std::map<std::string, Running> running;  ///< by op_id
    base::async::TaskGroup tasks;
};

asio::awaitable<Finished> Executor::Core::act(Effect effect, Progress progress) {
    const auto& name = effect.action.name;
    if (effect.kind == Effect::Kind::check)
        co_return co_await check(hands(), effect, std::move(progress));
    if (name == "slb.release")
        co_return co_await release_clients(hands(), effect, std::move(progress));
    if (name == "agent.run") co_return co_await run_on_agent(hands(), effect, std::move(progress));
    if (name == "notify") {
        seams.notify(effect.action.parameters.at("text"));
        co_return done("");
    }
    if (name == "gslb.set" || name == "slb.drain" || name == "slb.activate")
        co_return co_await change_wanted(hands(), effect);
    co_return failed("there is no action '" + name + "'");
}

asio::awaitable<void> Executor::Core::carry_out(std::shared_ptr<Core> core, Effect effect) {
    const auto op_id = effect.op_id;
    // Whoever started it must have returned before anything is reported.
    co_await asio::post(core->thread, asio::use_awaitable);
    auto progress = [weak = std::weak_ptr<Core>(core), op_id](std::string text) {
        if (const auto alive = weak.lock()) alive->report_progress(op_id, std::move(text));
    };
    auto work = core->act(std::move(effect), std::move(progress));
    auto finished = co_await std::move(work);
    core->report_end(op_id, std::move(finished));
}

asio::awaitable<void> Executor::Core::halt_release(std::shared_ptr<Core> core, Effect effect) {
    auto work = stop_release(core->hands(), std::move(effect));
    co_await std::move(work);
}

void Executor::Core::report_progress(const std::string& op_id, std::string text) {
    const auto found = running.find(op_id);
    if (found == running.end()) return;
    const auto report = found->second.report;
    report(Event::result_of(op_id, Event::Outcome::progress, std::move(text)));
}

void Executor::Core::report_end(const std::string& op_id, Finished finished) {
    const auto found = running.find(op_id);
    if (found == running.end()) return;
    const auto report = std::move(found->second.report);
    running.erase(found);  // before the report, which may start the next one
    report(Event::result_of(op_id, finished.outcome, std::move(finished.output)));
}

void Executor::Core::drop(const std::string& op_id) {
    const auto found = running.find(op_id);
    if (found == running.end()) return;
    const auto gone = std::move(found->second);
    running.erase(found);
    tasks.cancel(gone.task);
    if (gone.effect.action.name == "agent.run") seams.agents->forget(op_id);
    if (gone.effect.action.name == "slb.release" && seams.fence())
        tasks.start(halt_release(shared_from_this(), gone.effect));
}

Executor::Executor(asio::any_io_executor thread, Settings settings, Seams seams)
    : core_(std::make_shared<Core>(std::move(thread), std::move(settings), std::move(seams))) {}

Executor::~Executor() {
    core_->running.clear();
    core_->tasks.cancel();
}

void Executor::run() {
    core_->members.run(core_->tasks, core_);
}

asio::awaitable<void> Executor::stop() {
    core_->running.clear();
    core_->tasks.cancel();
    co_await core_->tasks.wait();
}

void Executor::start(const Effect& effect, Report report) {
    if (effect.kind == Effect::Kind::cancel) return core_->drop(effect.op_id);
    if (core_->running.contains(effect.op_id)) return;
    auto& entry = core_->running[effect.op_id];
    entry.effect = effect;
    entry.report = std::move(report);
    entry.task = core_->tasks.start(Core::carry_out(core_, effect));
}

void Executor::wanted_changed() {
    core_->members.tell_all();
}

void Executor::drop_effects() {
    while (!core_->running.empty()) core_->drop(std::string(core_->running.begin()->first));
}

std::vector<MemberView> Executor::members() const {
    std::vector<MemberView> out;
    for (std::size_t i = 0; i < core_->members.size(); ++i) out.push_back(core_->members.view(i));
    return out;
}

bool Executor::members_in_sync(const std::string& site, std::string& why) const {
    why.clear();
    for (std::size_t i = 0; i < core_->members.size(); ++i) {
        const auto& view = core_->members.view(i);
        if (view.member.site != site || (view.reachable && view.in_sync)) continue;
        why += (why.empty() ? "" : "; ") + view.member.name + ": " +
               (view.detail.empty() ? "not asked yet" : view.detail);
    }
    return why.empty();
}

}  // namespace twinsite::switchover::execute
