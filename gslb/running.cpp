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
      config_file_(config_file),
      started_(steady_clock::now()),
      intent_(std::move(intent)),
      loop_watch_(process_.io()),
      expiry_(process.io()),
      tick_(process.io()),
      signing_(process.io()),
      reloader_(
          process.io(),
          std::move(config_file),
          {[this] { return Reloader::Before{intent_, {helm_->states()}}; },
           [this](const LoadedIntent& next) { return adopt(next); },
           [this](const LoadedIntent& next) { adopt_signed(next); }}
      ),
      keys_(
          [this]() -> const Intent& { return *intent_; }, [this] { reloader_.request_signing(); }
      ),
      presigner_(
          process.io(), [this] { return Presigner::Basis{helm_->setup(), helm_->states()}; }
      ),
      status_(process.io(), status_routes_) {}

Running::~Running() {
    closing_ = true;
    api_.reset();
    if (observatory_) observatory_->stop();
}

std::string Running::state_path(const char* file) const {
    return intent_->config.state_directory + "/" + file;
}

// ---------------------------------------------------------------- start

void Running::start(bool replaces) {
    const auto& config = intent_->config;
    make_folder(config.state_directory);
    make_folder(fs::absolute(config.control_socket).parent_path());
    if (replaces) {
        // First of all: from now on the old process changes nothing on disk.
        auto inheritance = Inheritance::take(handover_path());
        if (!inheritance)
            throw StartError(
                "cannot take over at " + handover_path() + ": " + inheritance.error().message()
            );
        inheritance_.emplace(*std::move(inheritance));
    }
    log_zones(*intent_);

    health::Observatory::Settings settings;
    settings.checks.verdict_file = state_path("verdicts.json");
    settings.joint_file = state_path("joint.json");
    observatory_ = std::make_unique<health::Observatory>(process_.io(), settings, [this] {
        helm_->refresh();
        if (group_) group_->tell_observations();
    });
    apply_health(*intent_);
    helm_ = std::make_unique<control::Helm>(helm_seams(), restore_overrides(), restore_control());
    helm_->adopt(intent_->setup);
    listeners_ = std::make_unique<server::Listeners>(*publisher_);
    restore_cookie_secrets();
    start_transfers();
    make_group();
    arm_expiry();
    keep_serials();
    arm_signing();
    arm_tick();

    if (!inheritance_) start_edges();
    start_checks();
}

void Running::start_edges() {
    start_api();
    start_status();
    open_door();
}

void Running::open_door() {
    HandoverDoor::Seams seams;
    seams.sockets = [this] { return listeners_->socket_numbers(); };
    seams.freeze = [this](bool frozen) {
        frozen_ = frozen;
        if (group_) group_->freeze(frozen);
    };
    seams.let_go = [this] { return let_go(); };
    seams.end = [this](int successor) { process_.succeeded_by(successor); };
    door_ = std::make_unique<HandoverDoor>(process_.io(), std::move(seams));
    // Without it everything works but a replacement.
    if (const auto open = door_->open(handover_path()); !open)
        log::event(
            Level::warning,
            "handover_unavailable",
            {{"path", handover_path()}, {"error", open.error().message()}}
        );
}

NamedCounts Running::let_go() {
    listeners_->let_go();
    NamedCounts out;
    for (const auto& [name, value] : listeners_->totals()) out.emplace_back(name, value);
    door_->close();
    api_.reset();
    group_.reset();
    status_.stop();
    return out;
}

std::optional<std::string> Running::finish_handover() {
    auto counts = inheritance_->confirm();
    inheritance_.reset();
    // The old process is gone too suddenly to tell: then it holds nothing any more.
    if (counts) listeners_->add_totals(*counts);
    log::event(Level::info, "handover_finished", {{"counts_taken", counts.has_value()}});
    try {
        start_edges();
    } catch (const StartError& failure) {
        return failure.what();
    }
    return connect_group();
}

void Running::start_transfers() {
    // What has come is taken the way of what was signed anew: on the reading thread, as a whole.
    transfers_ = std::make_unique<transfer::Service>(intent_->copies, [this] {
        net::post(process_.io(), [this] {
            if (!draining_) reloader_.request_signing();
        });
    });
    transfers_->adopt(intent_->transfers);
    listeners_->set_transfers(transfers_->seam());
}

void Running::start_api() {
    const auto& config = intent_->config;
    const auto cannot = [](const std::string& where, const base::Error& why) {
        return StartError("cannot listen on " + where + ": " + why.message());
    };
    api_seams_ = make_seams();
    control::add_api_routes(api_routes_, *helm_, api_seams_);
    control::add_api_routes(tls_api_routes_, *helm_, api_seams_, control::role_gate(refusals_));
    group_api_ = make_group_api_seams();
    control::add_group_routes(api_routes_, api_seams_, group_api_);
    control::add_group_routes(
        tls_api_routes_, api_seams_, group_api_, control::role_gate(refusals_)
    );
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
    out.health = [this](std::string_view id) { return observatory_->health(id); };
    out.checks = [this](std::string_view id) { return observatory_->checks(id); };
    out.publish = [this](std::shared_ptr<const answer::Snapshot> snapshot) {
        presigner_.note_change();
        if (publisher_)
            publisher_->publish(std::move(snapshot));
        else
            publisher_ = std::make_unique<server::Publisher>(std::move(snapshot));
    };
    out.tell_override = [this](const control::Override& entry) {
        if (group_) group_->tell_override(entry);
    };
    out.tell_fence = [this] {
        if (group_) group_->tell_fences();
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

void Running::apply_health(const Intent& intent) {
    observatory_->apply(intent.watches, intent.votes, intent.config.health.parallel);
}

void Running::start_checks() {
    bool all_known = true;
    for (const auto& [target, rule] : intent_->votes.targets)
        all_known &= observatory_->health(target).state != health::State::unknown;
    if (all_known) {
        serve_dns(true);
        return;
    }
    observatory_->when_first_round_done(kFirstRound, [this](bool complete) {
        serve_dns(complete);
    });
}

void Running::serve_dns(bool first_round_complete) {
    if (draining_) return;
    helm_->refresh();
    if (inheritance_) listeners_->inherit(std::move(inheritance_->sockets));
    auto problem = listeners_->apply(intent_->listen);
    if (!problem && inheritance_) problem = finish_handover();
    if (problem) {
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
    // Last: whatever the others say, we answer already. A successor waits for the old one's port.
    if (!inheritance_) {
        if (const auto failure = connect_group()) return process_.fail(*failure);
    }
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

/// Tells the helm the time.
void Running::arm_tick() {
    helm_->tick(steady_clock::now());
    tick_.expires_after(std::chrono::seconds(1));
    tick_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) arm_tick();
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
    if (out.findings.empty()) out.findings = find_hindrances(loaded);
    // A newer intent may have come into force while this was read.
    if (out.findings.empty() && group_ &&
        loaded.intent->setup.configuration != group_->keeper().content_hash())
        out.findings = {"another intent came into force meanwhile; reload again"};
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
    apply_health(*intent_);
    helm_->adopt(intent_->setup);
    transfers_->adopt(intent_->transfers);
    log_zones(*intent_);
    keep_serials();
    arm_signing();
    out.snapshot = helm_->snapshot().version();
    log::event(Level::info, "configuration_reloaded", {{"snapshot", out.snapshot}});
    return out;
}

std::vector<std::string> Running::find_hindrances(const LoadedIntent& loaded) {
    if (draining_ || frozen_) return {"the program is stopping"};
    return find_fixed_changes(loaded.intent->config);
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
    if (intent_->config.group != next.group) out.push_back("$.group: a change needs a restart");
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
    if (group_) group_->stop();
    expiry_.cancel();
    tick_.cancel();
    observatory_->stop();
    signing_.cancel();
    presigner_.stop();
    listeners_->stop();
    transfers_->stop();
    status_.stop();
    if (!api_) return net::post(process_.io(), std::move(drained));
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
    out.health = observatory_.get();
    out.loop_stalls = [this] { return loop_watch_.stalls(); };
    out.server = make_server_seams();
    out.refusals = &refusals_;
    out.zones.views = [this] { return transfers_->views(); };
    out.zones.in_counts = [this] { return transfers_->in_counts(); };
    out.zones.out_counts = [this] { return transfers_->out_counts(); };
    out.zones.retransfer = [this](const auto& zone) { return transfers_->retransfer(zone); };
    out.zones.notify = [this](const auto& zone) { return transfers_->notify(zone); };
    out.keys.list = [this] { return keys_.list(); };
    out.keys.command = [this](const wire::dns::Name& zone, const control::KeyCommand& command) {
        return keys_.command(zone, command);
    };
    if (group_) out.group = [this] { return group_ ? group_->view() : control::GroupView(); };
    return out;
}

bool Running::run_on_loop(const std::function<void()>& work) {
    if (frozen_) return false;
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
        if (closing_ || frozen_) return false;
        if (steady_clock::now() < limit) continue;
        outcome.still_reading = true;
        return true;
    }
    outcome = result.get();
    return true;
}

}  // namespace twinsite::gslb
