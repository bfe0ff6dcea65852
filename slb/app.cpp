// SPDX-License-Identifier: Apache-2.0
#include "slb/app.hpp"

#include <cstdint>
#include <filesystem>
#include <random>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/config/cursor.hpp"
#include "base/error/check.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "slb/control/api.hpp"

namespace twinsite::slb {

namespace log = base::log;
using base::daemon::StartError;
using control::BladeChanges;

namespace {

struct Loaded {
    Config config;
    std::vector<std::string> findings;
};

Loaded load_config(const std::string& path) {
    Loaded out;
    auto document = base::config::Document::load(path);
    out.config = parse_config(document.root());
    for (const auto& finding : document.findings()) out.findings.push_back(to_string(finding));
    return out;
}

/// Grows with every start, as RFC 6733 section 8.16 wants for a peer that lost its state.
std::uint32_t make_state_id() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count()
    );
}

std::uint64_t make_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

}  // namespace

App::App() = default;
App::~App() = default;

std::vector<std::string> App::load(const std::string& path) {
    auto loaded = load_config(path);
    file_ = path;
    config_ = std::move(loaded.config);
    return std::move(loaded.findings);
}

// Start ------------------------------------------------------------------------------------------

void App::start(base::daemon::Process& process) {
    process_ = &process;
    started_ = std::chrono::steady_clock::now();
    state_id_ = make_state_id();
    load_changes();
    load_control();
    start_shard();
    start_control(process);
    start_tls_control(process);
    start_status(process);
    process.ready();
}

std::string App::state_file(const char* name) const {
    return config_.state_directory + "/" + name;
}

void App::load_changes() {
    std::error_code failure;
    std::filesystem::create_directories(config_.state_directory, failure);
    if (failure)
        throw StartError("cannot create " + config_.state_directory + ": " + failure.message());
    const auto text = base::file::read_state_file(state_file("blades.json"));
    if (!text)
        throw StartError(
            "cannot read " + state_file("blades.json") + ": " + text.error().message()
        );
    if (!*text) return;
    const auto changes = BladeChanges::from_json(**text);
    // Going on without it could give traffic to a blade that was taken out on purpose.
    if (!changes)
        throw StartError(
            state_file("blades.json") +
            " is damaged; mend it, or move it away and drain or remove again by "
            "command what it held"
        );
    changes_ = *changes;
    changes_.tidy(config_.proxy.blades);
}

void App::load_control() {
    // As with the blades: without it a site could take traffic that switchover keeps away.
    const auto read = [this](const char* name) {
        auto text = base::file::read_state_file(state_file(name));
        if (!text)
            throw StartError("cannot read " + state_file(name) + ": " + text.error().message());
        return *std::move(text);
    };
    const auto damaged = [this](const char* name, const std::string& why) {
        return StartError(state_file(name) + ": " + why + "; mend it or move it away");
    };
    control::ControlState::Kept kept;
    if (const auto text = read("fence.json")) {
        auto fences = wire::contract::FenceGuard::from_json_text(*text);
        if (!fences) throw damaged("fence.json", fences.error().message());
        kept.fences = *std::move(fences);
    }
    if (const auto text = read("desired.json")) {
        auto desired = wire::contract::decode_desired(*text);
        if (!desired) throw damaged("desired.json", desired.error().message());
        auto blades = control::BladeControl::read(*std::move(desired));
        if (const auto* wrong = std::get_if<std::string>(&blades))
            throw damaged("desired.json", *wrong);
        kept.blades = std::get<control::BladeControl>(std::move(blades));
        log::event(
            log::Level::info,
            "desired_restored",
            {{"server", kept.blades.desired().server},
             {"objects", kept.blades.desired().objects.size()}}
        );
    }
    control_ = std::make_unique<control::ControlState>(
        control::ControlState::Seams{
            [this] { apply_control(); },
            [this](const control::ControlState::Kept& now) { return keep_control(now); },
        },
        std::move(kept)
    );
}

proxy::Settings App::effective(const Config& config) const {
    auto settings = config.proxy;
    settings.state_id = state_id_;
    settings.blades = changes_.apply(config.proxy.blades, control_->blades());
    return settings;
}

void App::start_shard() {
    const auto settings = effective(config_);
    shard_ = std::make_unique<proxy::Shard>(settings, make_seed());
    if (const auto listening = shard_->listen(settings.listen); !listening)
        throw StartError("cannot listen for Diameter: " + listening.error().message());
    shard_->start();
}

void App::start_control(base::daemon::Process& process) {
    const auto folder = std::filesystem::path(config_.control_socket).parent_path();
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) throw StartError("cannot create " + folder.string() + ": " + failure.message());
    control::add_status_routes(control_router_, *this);
    control::add_control_routes(control_router_, *this);
    control_server_ = std::make_unique<base::http::Server>(process.io(), control_router_);
    if (const auto listening = control_server_->listen_unix(config_.control_socket); !listening)
        throw StartError(
            "cannot listen on " + config_.control_socket + ": " + listening.error().message()
        );
}

void App::start_tls_control(base::daemon::Process& process) {
    if (!config_.control_listener) return;
    const auto& at = *config_.control_listener;
    const auto gate = control::role_gate(refusals_);
    control::add_status_routes(tls_control_router_, *this, gate);
    control::add_control_routes(tls_control_router_, *this, gate);
    tls_control_server_ = std::make_unique<base::http::Server>(process.io(), tls_control_router_);
    base::http::TlsServer tls;
    tls.certificate = at.certificate;
    tls.key = at.key;
    tls.client_ca = at.ca;
    tls.crl = at.crl;
    if (const auto listening = tls_control_server_->listen_tls(at.listen, tls); !listening)
        throw StartError(
            "cannot listen on " + to_string(at.listen) + ": " + listening.error().message()
        );
}

void App::start_status(base::daemon::Process& process) {
    if (!config_.status) return;
    const auto& status = *config_.status;
    control::add_status_routes(status_router_, *this);
    status_server_ = std::make_unique<base::http::Server>(process.io(), status_router_);
    const auto listening =
        status.certificate.empty()
            ? status_server_->listen_tcp(status.listen)
            : status_server_->listen_tls(status.listen, {status.certificate, status.key, ""});
    if (!listening)
        throw StartError(
            "cannot listen on " + to_string(status.listen) + ": " + listening.error().message()
        );
}

// Reload -----------------------------------------------------------------------------------------

void App::reload() {
    reload_now();
}

control::ReloadOutcome App::reload_now() {
    auto fresh = load_config(file_);
    if (fresh.findings.empty())
        if (const auto fixed = needs_restart(config_, fresh.config); !fixed.empty())
            fresh.findings.push_back(file_ + ": " + fixed + ": cannot change without a restart");
    if (fresh.findings.empty()) {
        const auto settings = effective(fresh.config);
        const auto used = shard_->call([&] { return shard_->use(settings); });
        if (!used) fresh.findings.push_back(file_ + ": $.listen: " + used.error().message());
    }
    if (!fresh.findings.empty()) {
        for (const auto& finding : fresh.findings)
            log::event(log::Level::error, "configuration_finding", {{"finding", finding}});
        log::event(
            log::Level::error,
            "reload_refused",
            {{"findings", fresh.findings.size()}, {"snapshot", snapshot_}}
        );
        return {snapshot_, std::move(fresh.findings)};
    }
    config_ = std::move(fresh.config);
    changes_.tidy(config_.proxy.blades);
    ++snapshot_;
    log::event(log::Level::info, "configuration_reloaded", {{"snapshot", snapshot_}});
    return {snapshot_, {}};
}

// Control ----------------------------------------------------------------------------------------

control::NodeStatus App::node() {
    const auto uptime = std::chrono::steady_clock::now() - started_;
    return {
        .node = config_.node,
        .host = config_.proxy.host,
        .realm = config_.proxy.realm,
        .version = TWINSITE_VERSION,
        .snapshot = snapshot_,
        .uptime = std::chrono::duration_cast<std::chrono::seconds>(uptime),
    };
}

proxy::ShardStatus App::status() {
    return shard_->call([this] { return shard_->status(); });
}

const BladeChanges::Blades& App::configured() const {
    return config_.proxy.blades;
}
const BladeChanges& App::changes() const {
    return changes_;
}

base::Result<void> App::change(const BladeChanges& changes) {
    if (auto saved = base::file::write_state_file(state_file("blades.json"), changes.to_json());
        !saved)
        return saved;
    changes_ = changes;
    const auto settings = effective(config_);
    return shard_->call([&] { return shard_->use(settings); });
}

void App::apply_control() {
    auto changes = changes_;
    if (changes.forget_overruled(control_->blades())) {
        // If this cannot be written, it is said again by the next restart and does no harm.
        if (base::file::write_state_file(state_file("blades.json"), changes.to_json()))
            changes_ = std::move(changes);
    }
    const auto settings = effective(config_);
    const auto used = shard_->call([&] { return shard_->use(settings); });
    BASE_CHECK(used.has_value());  // nothing but its blades has changed
}

base::Result<void> App::keep_control(const control::ControlState::Kept& kept) const {
    // The fence first: after a crash between the two an old server must still be refused.
    auto saved = base::file::write_state_file(state_file("fence.json"), kept.fences.to_json_text());
    if (!saved) return saved;
    return base::file::write_state_file(
        state_file("desired.json"), wire::contract::encode(kept.blades.desired())
    );
}

std::size_t App::start_release(double per_second) {
    return shard_->call([&] {
        shard_->release(per_second);
        return shard_->release_status().total;
    });
}

void App::stop_release() {
    shard_->call([&] {
        shard_->stop_release();
        return true;
    });
}

proxy::ReleaseStatus App::release_status() {
    return shard_->call([&] { return shard_->release_status(); });
}

// Stop -------------------------------------------------------------------------------------------

void App::drain(std::function<void()> drained) {
    // The API stays until the end: it tells how far the drain is.
    auto& io = process_->io();
    shard_->call([&] {
        shard_->drain([&io, drained = std::move(drained)] { boost::asio::post(io, drained); });
        return true;
    });
}

void App::stop() {
    control_server_.reset();
    tls_control_server_.reset();
    status_server_.reset();
    shard_.reset();
}

}  // namespace twinsite::slb
