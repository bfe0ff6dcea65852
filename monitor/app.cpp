// SPDX-License-Identifier: Apache-2.0
#include "monitor/app.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/crypto/certificate.hpp"
#include "base/daemon/descriptor_limit.hpp"
#include "base/file/state_file.hpp"
#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "base/log/log.hpp"
#include "base/metrics/openmetrics.hpp"
#include "monitor/action/operations.hpp"
#include "monitor/agent/agent.hpp"
#include "monitor/collect/collectors.hpp"
#include "monitor/report/self_usage.hpp"
#include "monitor/site/site.hpp"
#include "monitor/status.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor {
namespace {

namespace fs = std::filesystem;
namespace http = base::http;
namespace log = base::log;
using base::daemon::StartError;
using log::Level;

struct Loaded {
    Config config;
    std::string text;
    action::Actions actions;
    std::vector<std::string> findings;
};

/// The certificate must say what the configuration says, or every server refuses us.
void check_certificate(const Config& config, std::vector<std::string>& findings) {
    const auto& file = config.links.tls.certificate;
    const auto text = base::file::read_state_file(file);
    if (!text || !*text) {
        findings.push_back(file + ": cannot be read");
        return;
    }
    const auto certificate = base::crypto::parse_certificate(**text);
    const auto wanted = wire::contract::to_uri(config.links.self);
    if (!certificate)
        findings.push_back(file + ": " + certificate.error().message());
    else if (certificate->uri != wanted)
        findings.push_back(
            file + ": is the certificate of '" + certificate->uri + "', not of '" + wanted + "'"
        );
}

Loaded load_all(const std::string& path) {
    Loaded out;
    const auto document = base::config::Document::load(path);
    out.config = parse_config(document.root());
    for (const auto& finding : document.findings()) out.findings.push_back(to_string(finding));
    if (!out.findings.empty()) return out;
    if (auto text = base::file::read_state_file(path); text && *text) out.text = std::move(**text);
    check_certificate(out.config, out.findings);
    if (out.config.actions_file.empty()) return out;
    auto loaded = action::load_actions(out.config.actions_file);
    out.actions = std::move(loaded.actions);
    for (auto& finding : loaded.findings) out.findings.push_back(std::move(finding));
    return out;
}

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw StartError("cannot make folder " + folder.string() + ": " + failure.message());
}

/// What waits has been saved; the service manager starts us again.
void leave_too_large() {
    std::_Exit(report::kExitTooLarge);
}

}  // namespace

/// Everything between `start` and `stop`.
class Running {
public:
    Running(base::daemon::Process& process, const Config& config, action::Actions actions)
        : config_(config), local_(process.io(), local_routes_) {
        if (config.role == Role::agent)
            make_agent(process, std::move(actions));
        else
            make_site(process);
        listen_locally();
    }

    void use(action::Actions actions) {
        if (agent_) agent_->use(std::move(actions));
    }
    void drain(std::function<void()> drained) {
        if (agent_) return agent_->drain(std::move(drained));
        site_->drain(std::move(drained));
    }

private:
    void make_agent(base::daemon::Process& process, action::Actions actions) {
        agent::AgentConfig config;
        config.links = config_.links;
        config.kind = config_.kind;
        config.version = TWINSITE_VERSION;
        config.state_directory = config_.state_directory;
        config.memory = config_.memory;
        collectors_ = std::make_unique<collect::Collectors>(config_.collect);
        agent_ = std::make_unique<agent::Agent>(
            process.io().get_executor(),
            std::move(config),
            report::Clocks(),
            [this] { return collectors_->sample(); },
            leave_too_large
        );
        agent_->use(std::move(actions));
        agent_->start();
        add_local_routes(*agent_);
    }

    void make_site(base::daemon::Process& process) {
        site::SiteConfig config;
        config.links = config_.links;
        config.version = TWINSITE_VERSION;
        config.state_directory = config_.state_directory;
        config.memory = config_.memory;
        config.listen = config_.listen;
        config.probes = config_.probes;
        site_ = std::make_unique<site::Site>(
            process.io(), std::move(config), report::Clocks(), leave_too_large
        );
        const auto listening = site_->start();
        log::event(Level::info, "monitor_listening", {{"address", to_string(listening)}});
        add_local_routes(*site_);
    }

    template <class Reporter>
    void add_local_routes(const Reporter& reporter) {
        local_routes_.add("GET", "/healthz", [](const auto&, const auto&) {
            http::Response out;
            out.content_type = "text/plain";
            out.body = "ok\n";
            return out;
        });
        local_routes_.add("GET", "/api/v1/status", [&reporter](const auto&, const auto&) {
            http::Response out;
            out.body = status_of(reporter);
            return out;
        });
        local_routes_.add("GET", "/metrics", [&reporter](const auto&, const auto&) {
            http::Response out;
            out.content_type = base::metrics::Writer::kContentType;
            out.body = metrics_of(reporter);
            return out;
        });
    }

    void listen_locally() {
        if (config_.socket.empty()) return;
        make_folder(fs::path(config_.socket).parent_path());
        const auto listening = local_.listen_unix(config_.socket);
        if (!listening)
            throw StartError(
                "cannot listen on " + config_.socket + ": " + listening.error().message()
            );
    }

    const Config config_;
    http::Router local_routes_;
    std::unique_ptr<collect::Collectors> collectors_;
    std::unique_ptr<agent::Agent> agent_;
    std::unique_ptr<site::Site> site_;
    http::Server local_;
};

App::App() = default;
App::~App() = default;

std::vector<std::string> App::load(const std::string& path) {
    file_ = path;
    auto loaded = load_all(path);
    config_ = std::move(loaded.config);
    text_ = std::move(loaded.text);
    actions_ = std::move(loaded.actions);
    return std::move(loaded.findings);
}

void App::start(base::daemon::Process& process) {
    report::be_humble();
    base::daemon::raise_descriptor_limit();
    ::umask(027);
    make_folder(config_.state_directory);
    running_ = std::make_unique<Running>(process, config_, std::move(actions_));
    process.ready();
}

void App::reload() {
    auto loaded = load_all(file_);
    if (loaded.findings.empty() && loaded.text != text_)
        loaded.findings.push_back(file_ + ": a change of this file needs a restart");
    for (const auto& finding : loaded.findings)
        log::event(Level::error, "configuration_finding", {{"finding", finding}});
    if (!loaded.findings.empty()) {
        log::event(Level::error, "reload_refused", {{"findings", loaded.findings.size()}});
        return;
    }
    const auto count = loaded.actions.size();
    running_->use(std::move(loaded.actions));
    log::event(Level::info, "configuration_reloaded", {{"actions", count}});
}

void App::drain(std::function<void()> drained) {
    running_->drain(std::move(drained));
}

void App::stop() {
    running_.reset();
}

}  // namespace twinsite::monitor
