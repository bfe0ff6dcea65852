// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/daemon/daemon.hpp"
#include "monitor/action/definition.hpp"
#include "monitor/config.hpp"

namespace twinsite::monitor {

class Running;

/// twinsite-monitor as the daemon frame sees it: an agent, or the monitor of a site.
class App final : public base::daemon::Program {
public:
    App();
    ~App() override;

    std::vector<std::string> load(const std::string& path) override;
    void start(base::daemon::Process& process) override;
    void reload() override;
    void drain(std::function<void()> drained) override;
    void stop() override;

private:
    std::string file_;
    std::string text_;  ///< Of the configuration in force.
    Config config_;
    action::Actions actions_;
    std::unique_ptr<Running> running_;
};

}  // namespace twinsite::monitor
