// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/daemon/daemon.hpp"
#include "gslb/intent.hpp"

namespace twinsite::gslb {

class Running;

/// twinsite-gslb as the daemon frame sees it; the work is done by Running.
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
    std::string config_file_;
    std::shared_ptr<const Intent> intent_;  ///< from `load`, until `start` takes it
    std::unique_ptr<Running> running_;
};

}  // namespace twinsite::gslb
