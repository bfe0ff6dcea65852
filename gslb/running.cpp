// SPDX-License-Identifier: Apache-2.0
#include "gslb/running.hpp"

#include <filesystem>
#include <future>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/control/override_file.hpp"
#include "probe/probe.hpp"

namespace twinsite::gslb {
namespace {

namespace fs = std::filesystem;
namespace log = base::log;
namespace net = boost::asio;
using base::daemon::StartError;
using log::Level;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw StartError("cannot make folder " + folder.string() + ": " + failure.message());
}

void log_zones(const Intent& intent) {
    for (const auto& zone : intent.setup.index->zones())
        log::event(
            Level::info,
            "zone_loaded",
            {{"zone", zone.origin.to_string()}, {"serial", zone.serial}, {"records", zone.records}}
        );
}

/// Waits for `result` unless the program ends before. The loop is asked again and again since a
/// stopped loop never keeps its promise.
bool wait_for(std::future<void>& result, const std::atomic<bool>& closing) {
    while (result.wait_for(milliseconds(50)) != std::future_status::ready)
        if (closing) return false;
    result.get();
    return true;
}

}  // namespace

Running::Running(
    base::daemon::Process& process, std::string config_file, std::shared_ptr<const Intent> intent
)
    : process_(process),
      started_(steady_clock::now()),
      intent_(std::move(intent)),
      expiry_(process.io()),
      reloader_(
          process.io(),
          std::move(config_file),
          [this](const LoadedIntent& next) { return adopt(next); }
      ),
      status_(process.io(), status_routes_) {}

Running::~Running() {
    closing_ = true;
    api_.reset();
    if (checker_) checker_->stop();
}

std::string Running::state_path(const char* file) const {
    return intent_->config.state_directory + "/" + file;
}

// ---------------------------------------------------------------- start

void Running::start() {
    const auto& config = intent_->config;
    make_folder(config.state_directory);
    make_folder(fs::path(config.control_socket).parent_path());
    log_zones(*intent_);

    health::Checker::Settings settings;
    settings.verdict_file = state_path("verdicts.json");
    checker_ =
        std::make_unique<health::Checker>(process_.io(), settings, [this] { helm_->refresh(); });
    checker_->apply(intent_->watches);
    helm_ = std::make_unique<control::Helm>(helm_seams(), restore_overrides(), restore_control());
    helm_->adopt(intent_->setup);
    listeners_ = std::make_unique<server::Listeners>(*publisher_);
    arm_expiry();

    start_api();
    start_status();
    start_checks();
}

void Running::start_api() {
    const auto& config = intent_->config;
    const auto cannot = [](const std::string& where, const base::Error& why) {
        return StartError("cannot listen on " + where + ": " + why.message());
    };
    api_seams_ = make_seams();
    control::add_api_routes(api_routes_, *helm_, api_seams_);
    control::add_api_routes(tls_api_routes_, *helm_, api_seams_, control::role_gate(refusals_));
    api_ = std::make_unique<ApiThread>(api_routes_, tls_api_routes_);
    if (config.control_listener) {
        const auto listening = api_->listen_tls(*config.control_listener);
        if (!listening) throw cannot(to_string(config.control_listener->listen), listening.error());
    }
    if (auto listening = api_->start(config.control_socket); !listening)
        throw cannot(config.control_socket, listening.error());
}

control::Helm::Seams Running::helm_seams() {
    control::Helm::Seams out;
    out.health = [this](std::string_view id) { return checker_->health(id); };
    out.checks = [this](std::string_view id) { return checker_->checks(id); };
    out.publish = [this](std::shared_ptr<const answer::Snapshot> snapshot) {
        if (publisher_)
            publisher_->publish(std::move(snapshot));
        else
            publisher_ = std::make_unique<server::Publisher>(std::move(snapshot));
    };
    out.keep = [this](const control::Overrides& overrides) {
        arm_expiry();
        return base::file::write_state_file(
            state_path("overrides.json"), encode_overrides(overrides, control::Moment::now())
        );
    };
    out.keep_control = [this](const control::KeptControl& kept) {
        // The fence first: after a crash between the two an old server must still be refused.
        auto saved =
            base::file::write_state_file(state_path("fence.json"), kept.fences.to_json_text());
        if (!saved) return saved;
        return base::file::write_state_file(
            state_path("desired.json"), wire::contract::encode(kept.directives.desired())
        );
    };
    return out;
}

control::KeptControl Running::restore_control() const {
    // As with overrides: to go on without could put traffic back onto a site that was pinned out.
    const auto read = [this](const char* file) {
        const auto path = state_path(file);
        auto text = base::file::read_state_file(path);
        if (!text) throw StartError(path + ": " + text.error().message());
        return *std::move(text);
    };
    const auto refuse = [this](const char* file, const std::string& why) {
        return StartError(state_path(file) + ": " + why + "; mend it or take it away");
    };
    control::KeptControl out;
    if (const auto text = read("fence.json")) {
        auto fences = wire::contract::FenceGuard::from_json_text(*text);
        if (!fences) throw refuse("fence.json", fences.error().message());
        out.fences = *std::move(fences);
    }
    if (const auto text = read("desired.json")) {
        auto desired = wire::contract::decode_desired(*text);
        if (!desired) throw refuse("desired.json", desired.error().message());
        auto directives = control::Directives::read(*std::move(desired));
        if (const auto* wrong = std::get_if<std::string>(&directives))
            throw refuse("desired.json", *wrong);
        out.directives = std::get<control::Directives>(std::move(directives));
        log::event(
            Level::info,
            "desired_restored",
            {{"server", out.directives.desired().server},
             {"objects", out.directives.entries().size()}}
        );
    }
    return out;
}

control::Overrides Running::restore_overrides() const {
    const auto path = state_path("overrides.json");
    const auto refuse = [&](const base::Error& cause) {
        // To go on without them could put traffic back onto what an operator took out.
        return StartError(path + ": " + cause.message() + "; mend it or take it away");
    };
    const auto text = base::file::read_state_file(path);
    if (!text) throw refuse(text.error());
    if (!*text) return {};
    auto overrides = control::decode_overrides(**text, control::Moment::now());
    if (!overrides) throw refuse(overrides.error());
    log::event(Level::info, "overrides_restored", {{"count", overrides->entries().size()}});
    return *std::move(overrides);
}

void Running::start_status() {
    status_seams_ = api_seams_;
    status_seams_.on_helm = [](const std::function<void()>& work) {
        work();
        return true;
    };
    control::add_status_routes(status_routes_, *helm_, status_seams_);
    if (const auto problem = status_.apply(intent_->config.status)) throw StartError(*problem);
}

void Running::start_checks() {
    bool all_known = true;
    for (const auto& watch : intent_->watches)
        all_known &= checker_->health(watch.id).state != health::State::unknown;
    if (all_known) {
        serve_dns(true);
        return;
    }
    checker_->when_first_round_done(kFirstRound, [this](bool complete) { serve_dns(complete); });
}

void Running::serve_dns(bool first_round_complete) {
    if (draining_) return;
    helm_->refresh();
    if (auto problem = listeners_->apply(intent_->listen)) {
        process_.fail(*problem);
        return;
    }
    serving_ = true;
    std::string addresses;
    for (const auto& address : listeners_->addresses())
        addresses += (addresses.empty() ? "" : ",") + to_string(address);
    log::event(
        Level::info,
        "dns_serving",
        {{"addresses", addresses},
         {"snapshot", helm_->snapshot().version()},
         {"all_targets_known", first_round_complete}}
    );
    process_.ready();
}

void Running::arm_expiry() {
    const auto next = helm_->overrides().next_expiry();
    if (!next) {
        expiry_.cancel();
        return;
    }
    expiry_.expires_at(*next);
    expiry_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        helm_->expire(steady_clock::now());
        arm_expiry();
    });
}

std::string Running::not_ready() const {
    if (draining_) return "the program is stopping";
    if (!serving_) return "the first round of health checks is not over yet";
    return "";
}

// ---------------------------------------------------------------- reload

void Running::reload(Reloader::Done done) {
    reloader_.request(std::move(done));
}

control::ReloadOutcome Running::adopt(const LoadedIntent& loaded) {
    control::ReloadOutcome out;
    log_warnings(loaded);
    out.findings = loaded.findings;
    if (draining_) out.findings = {"the program is stopping"};
    if (out.findings.empty()) out.findings = find_fixed_changes(loaded.intent->config);
    if (out.findings.empty()) out.findings = change_edges(*loaded.intent);
    if (!out.findings.empty()) {
        for (const auto& finding : out.findings)
            log::event(Level::error, "configuration_finding", {{"finding", finding}});
        out.snapshot = helm_->snapshot().version();
        log::event(
            Level::error,
            "reload_refused",
            {{"findings", out.findings.size()}, {"snapshot", out.snapshot}}
        );
        return out;
    }
    intent_ = loaded.intent;
    checker_->apply(intent_->watches);
    helm_->adopt(intent_->setup);
    log_zones(*intent_);
    out.snapshot = helm_->snapshot().version();
    log::event(Level::info, "configuration_reloaded", {{"snapshot", out.snapshot}});
    return out;
}

std::vector<std::string> Running::find_fixed_changes(const Config& next) const {
    std::vector<std::string> out;
    const auto compare = [&](const char* key, const std::string& old, const std::string& fresh) {
        if (old != fresh)
            out.push_back(
                std::string("$.") + key + ": a change from '" + old + "' to '" + fresh +
                "' needs a restart"
            );
    };
    compare("control.socket", intent_->config.control_socket, next.control_socket);
    compare("state.directory", intent_->config.state_directory, next.state_directory);
    const auto place = [](const Config& config) {
        return config.control_listener ? to_string(config.control_listener->listen) : "none";
    };
    compare("control.listen", place(intent_->config), place(next));
    if (out.empty() && intent_->config.control_listener != next.control_listener)
        out.push_back("$.control.tls: a change of file names needs a restart");
    return out;
}

/// Moves the sockets that the new configuration has elsewhere; on a finding all is as before.
std::vector<std::string> Running::change_edges(const Intent& next) {
    if (const auto problem = status_.apply(next.config.status)) return {*problem};
    if (!serving_) return {};
    const auto problem = listeners_->apply(next.listen);
    if (!problem) return {};
    std::vector<std::string> out{*problem};
    if (const auto lost = status_.apply(intent_->config.status)) out.push_back(*lost);
    return out;
}

// ---------------------------------------------------------------- end

void Running::drain(std::function<void()> drained) {
    draining_ = true;
    expiry_.cancel();
    checker_->stop();
    listeners_->stop();
    status_.stop();
    api_->stop([this, drained = std::move(drained)] { net::post(process_.io(), drained); });
}

// ---------------------------------------------------------------- API seams

control::ApiSeams Running::make_seams() {
    control::ApiSeams out;
    out.on_helm = [this](const std::function<void()>& work) { return run_on_loop(work); };
    out.reload = [this](control::ReloadOutcome& outcome) { return reload_and_wait(outcome); };
    out.not_ready = [this] { return not_ready(); };
    out.counters = [this] { return listeners_->totals(); };
    out.uptime = [this] {
        return std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - started_);
    };
    out.now = control::Moment::now;
    out.refusals = &refusals_;
    return out;
}

bool Running::run_on_loop(const std::function<void()>& work) {
    auto done = std::make_shared<std::promise<void>>();
    auto result = done->get_future();
    net::post(process_.io(), [done, &work] {
        try {
            work();
            done->set_value();
        } catch (...) {  // belongs to the waiting thread, where it becomes an answer 500
            done->set_exception(std::current_exception());
        }
    });
    return wait_for(result, closing_);
}

bool Running::reload_and_wait(control::ReloadOutcome& outcome) {
    // Shared: the reading may end after we have stopped waiting for it.
    auto done = std::make_shared<std::promise<control::ReloadOutcome>>();
    auto result = done->get_future();
    net::post(process_.io(), [this, done] {
        reload([done](const control::ReloadOutcome& of) { done->set_value(of); });
    });
    const auto limit = steady_clock::now() + kReloadWait;
    while (result.wait_for(milliseconds(50)) != std::future_status::ready) {
        if (closing_) return false;
        if (steady_clock::now() < limit) continue;
        outcome.still_reading = true;
        return true;
    }
    outcome = result.get();
    return true;
}

}  // namespace twinsite::gslb
