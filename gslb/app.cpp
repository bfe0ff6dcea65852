// SPDX-License-Identifier: Apache-2.0
#include "gslb/app.hpp"

#include "gslb/running.hpp"

namespace twinsite::gslb {

App::App() = default;
App::~App() = default;

std::vector<std::string> App::load(const std::string& path) {
    config_file_ = path;
    auto loaded = load_intent(path);
    log_warnings(loaded);
    intent_ = std::move(loaded.intent);
    return loaded.findings;
}

void App::start(base::daemon::Process& process) {
    // Kept only when it started: what failed half-way must be gone before the loop is.
    auto fresh = std::make_unique<Running>(process, config_file_, std::exchange(intent_, {}));
    fresh->start();
    running_ = std::move(fresh);
}

void App::reload() {
    running_->reload([](const control::ReloadOutcome&) {});
}

void App::drain(std::function<void()> drained) {
    running_->drain(std::move(drained));
}

void App::stop() {
    running_.reset();
}

}  // namespace twinsite::gslb
