// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/daemon/daemon.hpp"
#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "slb/config.hpp"
#include "slb/control/backend.hpp"
#include "slb/proxy/shard.hpp"

namespace twinsite::slb {

/// twinsite-slb: the shard in a thread of its own, control and status on the main thread. Built in
/// reading order, destroyed in reverse.
class App final : public base::daemon::Program, private control::Backend {
public:
    App();
    ~App() override;

    std::vector<std::string> load(const std::string& path) override;
    void start(base::daemon::Process& process) override;
    void reload() override;
    void drain(std::function<void()> drained) override;
    void stop() override;

private:
    control::NodeStatus node() override;
    proxy::ShardStatus status() override;
    const control::BladeChanges::Blades& configured() const override;
    const control::BladeChanges& changes() const override;
    base::Result<void> change(const control::BladeChanges& changes) override;
    control::ReloadOutcome reload_now() override;
    control::ControlState& control() override { return *control_; }
    control::RefusalCounts& refusals() override { return refusals_; }
    control::Releases& releases() override { return releases_; }
    std::size_t start_release(double per_second) override;
    void stop_release() override;
    proxy::ReleaseStatus release_status() override;
    control::ControlState::Time now() const override { return std::chrono::steady_clock::now(); }

    void load_changes();
    void load_control();
    void apply_control();
    base::Result<void> keep_control(const control::ControlState::Kept& kept) const;
    std::string state_file(const char* name) const;
    void start_shard();
    void start_control(base::daemon::Process& process);
    void start_tls_control(base::daemon::Process& process);
    void start_status(base::daemon::Process& process);
    /// The settings of a configuration with the operators' changes in them.
    proxy::Settings effective(const Config& config) const;

    std::string file_;
    Config config_;
    std::uint32_t state_id_ = 0;
    std::uint64_t snapshot_ = 1;
    std::chrono::steady_clock::time_point started_{};
    control::BladeChanges changes_;
    std::unique_ptr<control::ControlState> control_;
    control::RefusalCounts refusals_;
    control::Releases releases_;
    std::unique_ptr<proxy::Shard> shard_;
    base::http::Router control_router_;
    base::http::Router tls_control_router_;
    base::http::Router status_router_;
    std::unique_ptr<base::http::Server> control_server_;
    std::unique_ptr<base::http::Server> tls_control_server_;
    std::unique_ptr<base::http::Server> status_server_;
    base::daemon::Process* process_ = nullptr;
};

}  // namespace twinsite::slb
