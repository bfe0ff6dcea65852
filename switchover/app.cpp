// SPDX-License-Identifier: Apache-2.0
#include "switchover/app.hpp"

#include <utility>

#include "switchover/running.hpp"

namespace twinsite::switchover {

App::App() = default;
App::~App() = default;

std::vector<std::string> App::load(const std::string& path) {
    config_file_ = path;
    auto loaded = load_config(path);
    config_ = std::move(loaded.config);
    book_ = std::move(loaded.book);
    return loaded.findings;
}

void App::start(base::daemon::Process& process) {
    // Kept only when it started: what failed half-way must be gone before the loop is.
    auto fresh = std::make_unique<Running>(
        process, config_file_, std::move(*config_), std::exchange(book_, {})
    );
    fresh->start();
    running_ = std::move(fresh);
}

void App::reload() {
    running_->reload();
}

void App::drain(std::function<void()> drained) {
    running_->drain(std::move(drained));
}

void App::stop() {
    running_.reset();
}

}  // namespace twinsite::switchover
