// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/checker.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <random>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/log/log.hpp"
#include "gslb/health/check_run.hpp"
#include "gslb/health/verdict_file.hpp"

namespace twinsite::gslb::health {

namespace asio = boost::asio;
namespace log = base::log;
using asio::awaitable;
using std::chrono::milliseconds;

namespace {

/// Checks that begin together are spread over this time, or over their interval if that is less:
/// short, since the first round holds up the start of the service.
constexpr milliseconds kFirstSpread{200};

std::uint64_t seed_from(std::uint64_t given) {
    return given != 0 ? given : std::random_device{}() * std::uint64_t{0x9E3779B97F4A7C15} + 1;
}

/// A probe that throws has not found the target alive, unless it is we who have no memory. It must
/// not end the check: a check that died silently would leave its last state standing for ever.
awaitable<probe::Outcome> run_probe(probe::Probe& probe, milliseconds limit) {
    probe::Outcome out;
    try {
        out = co_await probe.run(limit);
    } catch (const std::bad_alloc& failure) {
        out.error = failure.what();
        out.local_fault = true;
    } catch (const std::exception& failure) {
        out.error = failure.what();
    }
    co_return out;
}

}  // namespace

class Checker::Engine : public std::enable_shared_from_this<Checker::Engine> {
public:
    Engine(
        asio::io_context& io,
        Settings settings,
        std::function<void()> on_change,
        ProbeFactory make_probe
    )
        : settings_(std::move(settings)),
          on_change_(std::move(on_change)),
          make_probe_(std::move(make_probe)),
          io_(io),
          random_(seed_from(settings_.seed)),
          change_timer_(io),
          save_timer_(io),
          tasks_(io.get_executor()) {}

    void apply(std::vector<Watch> watches);
    void when_first_round_done(milliseconds limit, std::function<void(bool)> done);
    void stop();
    Health health(std::string_view id) const;
    std::vector<CheckView> checks(std::string_view id) const;
    std::size_t running() const { return runs_.size(); }

private:
    struct Slot {
        std::shared_ptr<CheckRun> run;
        base::async::TaskGroup::Id task = 0;
        std::shared_ptr<bool> wanted;  ///< Read by the task; false: end.
    };
    using Slots = std::map<Check, Slot>;
    struct Waiter {
        asio::steady_timer limit;
        std::function<void(bool)> done;
    };

    static awaitable<void> keep_checking(
        std::shared_ptr<Engine> self,
        std::shared_ptr<CheckRun> run,
        std::shared_ptr<bool> wanted,
        Clock::duration delay
    );
    Slot start(const Check& check);
    void inform(CheckRun& run);
    void end(Slot& slot);
    void take(CheckRun& run, const probe::Outcome& outcome);
    void log_change(const CheckRun& run, State before) const;
    void log_not_possible(const CheckRun& run, const std::string& cause);
    bool first_round_done() const;
    void release_waiters();
    void restore_once();
    void arm_save();
    void save();
    void report_change();
    Clock::duration first_delay(const Check& check);

    // fixed after construction
    const Settings settings_;
    const std::function<void()> on_change_;
    const ProbeFactory make_probe_;

    // owned by the loop's thread
    asio::io_context& io_;
    std::mt19937_64 random_;
    bool stopped_ = false;
    bool restored_ = false;
    bool change_due_ = false;
    SavedVerdicts saved_;
    log::Throttle save_trouble_{std::chrono::minutes(1)};
    log::Throttle local_trouble_{std::chrono::minutes(1)};
    std::map<std::string, Watch, std::less<>> watches_;
    Slots runs_;
    std::map<std::uint64_t, Waiter> waiters_;
    std::uint64_t next_waiter_ = 1;
    asio::steady_timer change_timer_;
    asio::steady_timer save_timer_;
    base::async::TaskGroup tasks_;
};

void Checker::Engine::apply(std::vector<Watch> watches) {
    if (stopped_) return;
    restore_once();
    watches_.clear();
    Slots wanted;
    for (auto& watch : watches) {
        for (const auto& item : watch.items) {
            if (wanted.contains(item.check)) continue;
            const auto found = runs_.find(item.check);
            wanted.emplace(item.check, found == runs_.end() ? start(item.check) : found->second);
        }
        watches_.emplace(watch.id, std::move(watch));
    }
    for (auto& [check, slot] : runs_)
        if (!wanted.contains(check)) end(slot);
    runs_ = std::move(wanted);
    saved_.clear();
    release_waiters();
}

Checker::Engine::Slot Checker::Engine::start(const Check& check) {
    Slot slot;
    slot.run = std::make_shared<CheckRun>(check, make_probe_(check.question));
    slot.wanted = std::make_shared<bool>(true);
    inform(*slot.run);
    slot.task =
        tasks_.start(keep_checking(shared_from_this(), slot.run, slot.wanted, first_delay(check)));
    return slot;
}

/// Gives a new run what is known about its question already.
void Checker::Engine::inform(CheckRun& run) {
    const auto& question = run.check().question;
    const auto same = std::find_if(runs_.begin(), runs_.end(), [&](const auto& entry) {
        return entry.first.question == question;
    });
    if (same != runs_.end()) return run.inherit(*same->second.run);
    const auto saved = saved_.find(to_string(question));
    if (saved != saved_.end()) run.restore(saved->second, Clock::now(), settings_.trusted_age);
}

void Checker::Engine::end(Slot& slot) {
    *slot.wanted = false;
    tasks_.cancel(slot.task);
}

Clock::duration Checker::Engine::first_delay(const Check& check) {
    const Clock::duration spread = std::min(kFirstSpread, check.interval);
    return Clock::duration(
        static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(spread.count() + 1))
    );
}

awaitable<void> Checker::Engine::keep_checking(
    std::shared_ptr<Engine> self,
    std::shared_ptr<CheckRun> run,
    std::shared_ptr<bool> wanted,
    Clock::duration delay
) {
    co_await base::async::sleep_for(delay);
    while (*wanted) {
        const auto started = Clock::now();
        const auto outcome = co_await run_probe(run->probe(), run->check().timeout);
        if (!*wanted) co_return;
        self->take(*run, outcome);
        const auto now = Clock::now();
        const auto next = next_start(started, now, run->check().interval, self->random_());
        co_await base::async::sleep_for(next - now);
    }
}

/// What says nothing about the target is no result: its state stays, and grows old in the status. A
/// first round that waits for such a check ends at its limit.
void Checker::Engine::take(CheckRun& run, const probe::Outcome& outcome) {
    if (outcome.local_fault) return log_not_possible(run, outcome.error);
    const bool first = !run.has_result();
    const auto before = run.health().state;
    const bool changed = run.take(outcome, Clock::now());
    if (run.health().state != before) log_change(run, before);
    if (changed) report_change();
    if (first) release_waiters();
}

void Checker::Engine::log_change(const CheckRun& run, State before) const {
    const auto state = run.health().state;
    log::event(
        log::Level::info,
        "check_state_changed",
        {{"check", to_string(run.check().question)},
         {"from", to_string(before)},
         {"to", to_string(state)},
         {"cause", run.last_error()}}
    );
}

void Checker::Engine::log_not_possible(const CheckRun& run, const std::string& cause) {
    std::uint64_t held_back = 0;
    if (!local_trouble_.allow(Clock::now(), held_back)) return;
    log::event(
        log::Level::warning,
        "check_not_possible",
        {{"check", to_string(run.check().question)},
         {"state_kept", to_string(run.health().state)},
         {"cause", cause},
         {"held_back", held_back}}
    );
}

/// Collects the changes of a short time into one report.
void Checker::Engine::report_change() {
    if (change_due_) return;
    change_due_ = true;
    change_timer_.expires_after(settings_.coalesce);
    change_timer_.async_wait([self = shared_from_this()](const base::Error& cancelled) {
        if (cancelled || self->stopped_) return;
        self->change_due_ = false;
        self->on_change_();
        self->save();
    });
}

bool Checker::Engine::first_round_done() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const auto& entry) {
        return entry.second.run->has_result();
    });
}

void Checker::Engine::when_first_round_done(milliseconds limit, std::function<void(bool)> done) {
    if (stopped_) return;
    const auto id = next_waiter_++;
    auto& waiter =
        waiters_.emplace(id, Waiter{asio::steady_timer(io_, limit), std::move(done)}).first->second;
    waiter.limit.async_wait([self = shared_from_this(), id](const base::Error&) {
        // Cancelled means that the round is done; taken out of the list that we were stopped.
        const auto node = self->waiters_.extract(id);
        if (!node.empty() && !self->stopped_) node.mapped().done(self->first_round_done());
    });
    release_waiters();
}

/// Their timers' handlers call them back: never from within a call to us.
void Checker::Engine::release_waiters() {
    if (waiters_.empty() || !first_round_done()) return;
    for (auto& [id, waiter] : waiters_) waiter.limit.cancel();
}

void Checker::Engine::restore_once() {
    if (restored_ || settings_.verdict_file.empty()) return;
    restored_ = true;
    auto saved = read_verdicts(settings_.verdict_file, std::chrono::system_clock::now());
    if (saved) {
        saved_ = std::move(*saved);
    } else {
        log::event(
            log::Level::warning,
            "verdict_file_unreadable",
            {{"file", settings_.verdict_file}, {"error", saved.error().message()}}
        );
    }
    arm_save();
}

void Checker::Engine::arm_save() {
    save_timer_.expires_after(settings_.save_every);
    save_timer_.async_wait([self = shared_from_this()](const base::Error& cancelled) {
        if (cancelled || self->stopped_) return;
        self->save();
        self->arm_save();
    });
}

void Checker::Engine::save() {
    if (settings_.verdict_file.empty()) return;
    SavedVerdicts all;
    const auto now = Clock::now();
    for (const auto& [check, slot] : runs_) {
        const auto state = slot.run->health().state;
        const auto age = slot.run->age(now);
        if (state != State::unknown && age) all[to_string(check.question)] = {state, *age};
    }
    const auto saved =
        write_verdicts(settings_.verdict_file, all, std::chrono::system_clock::now());
    std::uint64_t held_back = 0;
    if (saved || !save_trouble_.allow(now, held_back)) return;
    log::event(
        log::Level::warning,
        "verdict_file_not_written",
        {{"file", settings_.verdict_file}, {"error", saved.error().message()}}
    );
}

void Checker::Engine::stop() {
    if (stopped_) return;
    stopped_ = true;
    save();
    for (auto& [check, slot] : runs_) end(slot);
    waiters_.clear();
    change_timer_.cancel();
    save_timer_.cancel();
}

Health Checker::Engine::health(std::string_view id) const {
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) return {};
    std::vector<Health> all;
    for (const auto& item : watch->second.items) all.push_back(runs_.at(item.check).run->health());
    return combine(all);
}

std::vector<CheckView> Checker::Engine::checks(std::string_view id) const {
    std::vector<CheckView> out;
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) return out;
    const auto now = Clock::now();
    for (const auto& item : watch->second.items) {
        const auto& run = *runs_.at(item.check).run;
        const auto health = run.health();
        CheckView view;
        view.name = item.name;
        view.target = item.check.question.target;
        view.state = health.state;
        view.pending = health.pending;
        view.restored = health.restored;
        view.age = run.age(now);
        view.last_error = run.last_error();
        view.latency = run.latency();
        view.successes = run.successes();
        view.failures = run.failures();
        out.push_back(std::move(view));
    }
    return out;
}

Checker::Checker(
    asio::io_context& io,
    Settings settings,
    std::function<void()> on_change,
    ProbeFactory make_probe
)
    : engine_(std::make_shared<Engine>(
          io, std::move(settings), std::move(on_change), std::move(make_probe)
      )) {}

Checker::~Checker() {
    engine_->stop();
}

void Checker::apply(std::vector<Watch> watches) {
    engine_->apply(std::move(watches));
}
void Checker::when_first_round_done(milliseconds limit, std::function<void(bool)> done) {
    engine_->when_first_round_done(limit, std::move(done));
}
Health Checker::health(std::string_view id) const {
    return engine_->health(id);
}
std::vector<CheckView> Checker::checks(std::string_view id) const {
    return engine_->checks(id);
}
std::size_t Checker::running() const {
    return engine_->running();
}
void Checker::stop() {
    engine_->stop();
}

}  // namespace twinsite::gslb::health
