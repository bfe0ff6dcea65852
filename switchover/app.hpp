// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/daemon/daemon.hpp"
#include "switchover/book.hpp"

namespace twinsite::switchover {

class Running;

/// twinsite-switchover as the daemon frame sees it; the work is done by Running.
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
    std::optional<Config> config_;  ///< From `load`, until `start` takes it.
    Book book_;
    std::unique_ptr<Running> running_;
};

}  // namespace twinsite::switchover
