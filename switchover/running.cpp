// SPDX-License-Identifier: Apache-2.0
#include "switchover/running.hpp"

#include <filesystem>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/crypto/base64.hpp"
#include "base/crypto/certificate.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "base/metrics/openmetrics.hpp"
#include "switchover/api/run_view.hpp"
#include "switchover/first_password.hpp"
#include "switchover/fleet/metrics.hpp"
#include "switchover/generation.hpp"
#include "switchover/server_metrics.hpp"
#include "switchover/store/sqlite_store.hpp"

namespace twinsite::switchover {
namespace {

namespace fs = std::filesystem;
namespace log = base::log;
using base::daemon::StartError;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

// Between two looks at what is due: runs ask for ticks between those of the judge.
constexpr milliseconds kClock{100};
constexpr milliseconds kFleetTick{500};
constexpr seconds kCertificateLook{60};
constexpr seconds kTakeAgain{5};
// Answers to repeated requests are kept for a day.
constexpr std::int64_t kAnswersMs = 24 * 3'600'000;

std::int64_t wall_now_ms() {
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string read_text(const std::string& file) {
    const auto text = base::file::read_state_file(file);
    return text && *text ? **text : std::string();
}

std::string read_pem(const std::string& file) {
    const auto text = base::file::read_state_file(file);
    if (!text) throw StartError(file + ": " + text.error().message());
    if (!*text) throw StartError(file + ": no such file");
    return **text;
}

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw StartError("cannot make folder " + folder.string() + ": " + failure.message());
}

fleet::Roster roster_of(const model::Plan& plan) {
    fleet::Roster out;
    for (const auto& agent : plan.agents)
        out.agents.push_back({agent.site, agent.name, agent.kind});
    for (const auto& monitor : plan.monitors) out.monitors.push_back({monitor.site, monitor.name});
    out.services.emplace();
    for (const auto& service : plan.services) out.services->push_back(service.name);
    return out;
}

std::vector<execute::Member> members_of(const Config& config) {
    std::vector<execute::Member> out;
    for (const auto& gslb : config.plan.gslbs) {
        execute::Member member{gslb.name, gslb.site, execute::MemberKind::gslb, gslb.control, {}};
        const auto dns = config.dns_servers.find(gslb.name);
        if (dns != config.dns_servers.end()) member.dns = dns->second;
        out.push_back(std::move(member));
    }
    for (const auto& slb : config.plan.slbs)
        out.push_back({slb.name, slb.site, execute::MemberKind::slb, slb.control, {}});
    return out;
}

}  // namespace

Running::Running(base::daemon::Process& process, std::string config_file, Config config, Book book)
    : process_(process),
      config_file_(std::move(config_file)),
      config_(std::move(config)),
      started_(steady_clock::now()),
      config_text_(read_text(config_file_)),
      first_book_(std::move(book)),
      tasks_(process.io().get_executor()),
      clock_(process.io()) {}

Running::~Running() = default;

fleet::Moment Running::moment() const {
    return {steady_clock::now(), wall_now_ms()};
}

// ---------------------------------------------------------------- start

void Running::start() {
    make_folder(config_.state_directory);
    open_store();
    open_signing();
    build_conductor();
    build_fleet();
    build_executor();
    build_api();
    look_at_certificates();
    take_leadership(true);
    executor_->run();
    take_clock();
    listen();
    process_.ready();
}

void Running::open_store() {
    store::OpenFailure failure;
    store_ =
        store::open_sqlite({.directory = config_.state_directory, .wall_ms = wall_now_ms}, failure);
    if (!store_) throw StartError(failure.text);
    leader_ = std::make_unique<lead::Leader>(*store_, config_.plan.node);
    if (!config_.first_password_file.empty())
        make_folder(fs::path(config_.first_password_file).parent_path());
    store::HistorySettings settings;
    settings.file = config_.state_directory + "/history.db";
    settings.keep = duration_cast<std::chrono::hours>(config_.history.keep);
    settings.max_bytes = std::uint64_t{config_.history.max_mib} << 20U;
    auto history = store::History::open(settings);
    if (!history) throw StartError(settings.file + ": " + history.error().message());
    history_ = std::move(*history);
}

Running::Outcome Running::begin_to_lead() {
    if (const auto taken = leader_->take(); !taken)
        return {"cannot take the leadership", taken.error()};
    const auto request = config_.state_directory + "/raise-generation";
    if (const auto raised = raise_generation_as_asked(*leader_, request); !raised)
        return {request, raised.error()};
    store::Transaction transaction;
    const auto forgotten = store::forget_answers(*store_, transaction, wall_now_ms() - kAnswersMs);
    if (forgotten && !transaction.writes.empty()) static_cast<void>(leader_->commit(transaction));
    if (const auto made = make_first_user(*store_, *leader_, config_.first_password_file); !made)
        return {"cannot write the first password to " + config_.first_password_file, made.error()};
    if (const auto begun = conductor_->start(); !begun)
        return {"the store cannot be used", begun.error()};
    return {};
}

void Running::take_leadership(bool at_start) {
    next_take_.reset();
    const auto [what, failure] = begin_to_lead();
    if (what.empty()) return;
    // A disk that is full, or fails, must not take away what people see: without the leadership
    // the server watches and shows, and tries again.
    const bool passes = failure == store::Errc::full || failure == store::Errc::unavailable ||
                        failure == boost::system::errc::no_space_on_device;
    if (at_start && !passes) throw StartError(what + ": " + failure.message());
    leader_->give_up();
    if (at_start)
        if (const auto read = conductor_->start(); !read)
            throw StartError("the store cannot be used: " + read.error().message());
    log::event(
        log::Level::error, "leadership_not_taken", {{"what", what}, {"error", failure.message()}}
    );
    next_take_ = steady_clock::now() + kTakeAgain;
}

void Running::open_signing() {
    auto signer = base::crypto::Signer::from_pem(
        read_pem(config_.signing.key), read_pem(config_.signing.certificate)
    );
    if (!signer) throw StartError(config_.signing.key + ": " + signer.error().message());
    signer_ = std::move(*signer);
}

void Running::build_conductor() {
    Conductor::Seams seams;
    seams.wall_ms = wall_now_ms;
    seams.now = [] { return steady_clock::now(); };
    seams.carry_out = [this](const scenario::Effect& effect, auto report) {
        executor_->start(effect, std::move(report));
    };
    seams.drop_effects = [this] { executor_->drop_effects(); };
    seams.run_changed = [this](const DrivenRun& driven) {
        api_->run_changed(api::view_of(driven.run, &driven.entry->scenario));
    };
    conductor_ = std::make_unique<Conductor>(
        config_, std::exchange(first_book_, {}), *store_, *leader_, std::move(seams)
    );
}

void Running::build_fleet() {
    fleet::Fleet::Listeners listeners;
    listeners.on_live = [this](const fleet::Host& host) { conductor_->hear(host); };
    listeners.on_probe = [this](const fleet::ProbeFact& probe) { conductor_->hear(probe); };
    listeners.on_batch = [this](const fleet::MonitorState& state) { conductor_->hear(state); };
    listeners.on_history = [this](std::vector<store::HistoryPoint> points) {
        history_->append(std::move(points));
    };
    const auto roster = roster_of(config_.plan);
    fleet_ = std::make_unique<fleet::Fleet>(roster, std::move(listeners));

    AgentOrders::Seams seams;
    seams.fence = [this] { return leader_->leads() ? leader_->fence() : store::Fence{}; };
    seams.wall_ms = wall_now_ms;
    seams.now = [] { return steady_clock::now(); };
    orders_ = std::make_unique<AgentOrders>(process_.io().get_executor(), std::move(seams));
    fleet::CommandSettings settings;
    settings.server = config_.identity();
    settings.certificate = read_pem(config_.signing.certificate);
    settings.sign = [this](std::string_view bytes) {
        const auto signature = signer_->sign(bytes);
        return signature ? base::crypto::to_base64(*signature) : std::string();
    };
    commands_ = std::make_unique<fleet::Commands>(
        roster,
        std::move(settings),
        [this](const wire::contract::CommandResult& result) { orders_->take(result); }
    );
    orders_->use(*commands_);
}

void Running::build_executor() {
    const auto thread = process_.io().get_executor();
    caller_ = std::make_unique<execute::TlsCaller>(
        thread,
        execute::TlsFiles{
            config_.client.certificate, config_.client.key, config_.client.ca, config_.client.crl
        }
    );
    execute::Settings settings;
    settings.server = config_.identity();
    settings.members = members_of(config_);
    for (const auto& place : config_.dns_places)
        settings.places.push_back({place.site, place.answers, place.clients});
    execute::Seams seams;
    seams.fence = [this]() -> std::optional<store::Fence> {
        if (!leader_->leads()) return std::nullopt;
        return leader_->fence();
    };
    seams.wanted = [this] { return conductor_->wanted(); };
    seams.want = [this](const store::WantedState& wanted) { return conductor_->want(wanted); };
    seams.fact = [this](const scenario::Expression& asked) { return conductor_->fact(asked); };
    seams.notify = [](const std::string& text) {
        log::event(log::Level::info, "scenario_note", {{"text", text}});
    };
    seams.outranked = [this](const execute::Member& member, const store::Fence& highest) {
        conductor_->outranked(member.name, highest);
    };
    seams.seen = [this](const execute::MemberView& view) { conductor_->hear(view); };
    seams.wall_ms = wall_now_ms;
    seams.caller = caller_.get();
    seams.agents = orders_.get();
    executor_ = std::make_unique<execute::Executor>(thread, std::move(settings), std::move(seams));
}

void Running::build_api() {
    Desk::Seams seams;
    seams.members = [this] { return executor_->members(); };
    seams.certificates = [this] { return certificates_; };
    seams.metrics = [this] { return metrics(); };
    seams.not_ready = [this] { return not_ready(); };
    desk_ = std::make_unique<Desk>(*conductor_, *history_, std::move(seams));
    api::ApiSettings settings;
    settings.server = config_.identity();
    if (config_.console) settings.assets = config_.console->assets;
    settings.clock = [this] { return moment(); };
    api_ =
        std::make_unique<api::Api>(process_.io(), std::move(settings), *desk_, *fleet_, *commands_);
    api_->add_machine_routes(machine_routes_);
    if (!config_.console) return;
    if (const auto added = api_->add_console_routes(console_routes_); !added)
        throw StartError(config_.console->assets + ": " + added.error().message());
}

void Running::listen() {
    const auto open = [](base::http::Server& server,
                         const base::net::Endpoint& at,
                         const base::http::TlsServer& tls) {
        const auto got = server.listen_tls(at, tls);
        if (!got)
            throw StartError("cannot listen on " + to_string(at) + ": " + got.error().message());
        log::event(log::Level::info, "listening", {{"at", to_string(*got)}});
    };
    base::http::Limits limits;
    limits.connections = config_.machine.max_connections;
    machine_ = std::make_unique<base::http::Server>(process_.io(), machine_routes_, limits);
    const auto& tls = config_.machine.tls;
    open(*machine_, config_.machine.listen, {tls.certificate, tls.key, tls.ca, tls.crl});
    if (!config_.console) return;
    console_ = std::make_unique<base::http::Server>(process_.io(), console_routes_);
    open(
        *console_,
        config_.console->listen,
        {config_.console->certificate, config_.console->key, "", ""}
    );
}

// ---------------------------------------------------------------- the loop

void Running::take_clock() {
    const auto now = steady_clock::now();
    if (now >= next_fleet_tick_) {
        next_fleet_tick_ = now + kFleetTick;
        fleet_->tick(moment());
        commands_->tick(now);
    }
    if (now >= next_certificates_) look_at_certificates();
    if (next_take_ && now >= *next_take_) take_leadership(false);
    if (now >= next_tick_) {
        next_tick_ = now + config_.rules.tick;
        conductor_->tick();
        desk_->look();
        api_->tick();
    } else {
        const auto wake = conductor_->runs().next_wake();
        const auto mono = duration_cast<milliseconds>(now.time_since_epoch()).count();
        if (wake && *wake <= mono) conductor_->drive();
    }
    clock_.expires_after(std::min<milliseconds>(kClock, config_.rules.tick));
    clock_.async_wait([this](const boost::system::error_code& failure) {
        if (!failure && !draining_) take_clock();
    });
}

void Running::look_at_certificates() {
    next_certificates_ = steady_clock::now() + kCertificateLook;
    certificates_.clear();
    const auto look = [this](const char* name, const std::string& file) {
        const auto certificate = base::crypto::parse_certificate(read_text(file));
        if (!certificate) return;
        certificates_.push_back(
            {name, base::crypto::days_left(*certificate, base::crypto::wall_now())}
        );
    };
    look("machine", config_.machine.tls.certificate);
    look("client", config_.client.certificate);
    look("signing", config_.signing.certificate);
    if (config_.console) look("console", config_.console->certificate);
}

std::string Running::not_ready() const {
    if (draining_) return "the server is stopping";
    if (!leader_->leads()) return "this server does not lead";
    if (conductor_->runs().storing_fails()) return "the store takes no changes";
    return {};
}

std::string Running::metrics() const {
    base::metrics::Writer out;
    ServerFacts facts;
    facts.ready = not_ready().empty();
    facts.uptime_s =
        static_cast<std::uint64_t>(duration_cast<seconds>(steady_clock::now() - started_).count());
    facts.machine_connections = machine_ ? machine_->connections() : 0;
    facts.console_connections = console_ ? console_->connections() : 0;
    facts.alarms = desk_->alarms().size();
    facts.history = history_->counters();
    write_server_metrics(out, *conductor_, facts);
    fleet::write_metrics(out, *fleet_, *commands_, steady_clock::now());
    return out.finish();
}

void Running::reload() {
    const auto refuse = [](const std::vector<std::string>& findings) {
        for (const auto& finding : findings)
            log::event(log::Level::error, "configuration_finding", {{"finding", finding}});
        log::event(log::Level::error, "reload_refused", {{"findings", findings.size()}});
    };
    const bool other_file = read_text(config_file_) != config_text_;
    if (other_file)
        if (const auto whole = load_config(config_file_); !whole.findings.empty())
            return refuse(whole.findings);
    auto loaded = load_book(config_);
    if (!loaded.findings.empty()) return refuse(loaded.findings);
    if (other_file) log::event(log::Level::warning, "restart_needed", {{"file", config_file_}});
    const auto count = loaded.book.size();
    conductor_->use_book(std::move(loaded.book));
    log::event(log::Level::info, "scenarios_reloaded", {{"scenarios", count}});
}

// ---------------------------------------------------------------- the end

void Running::drain(std::function<void()> drained) {
    draining_ = true;
    clock_.cancel();
    api_->stop();
    machine_->stop();
    if (console_) console_->stop();
    tasks_.start(end(std::move(drained)));
}

boost::asio::awaitable<void> Running::end(std::function<void()> drained) {
    co_await executor_->stop();
    // Unfinished runs stay in the store; the next start goes on with them.
    leader_->give_up();
    drained();
}

}  // namespace twinsite::switchover
