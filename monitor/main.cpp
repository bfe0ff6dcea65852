// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"
#include "monitor/app.hpp"

int main(int argc, char** argv) {
    twinsite::base::daemon::Settings settings;
    settings.name = "twinsite-monitor";
    settings.description = "Watches a machine or a site, reports, and carries out named actions";
    settings.version = TWINSITE_VERSION;
    settings.drain_limit = std::chrono::milliseconds(5'000);
    twinsite::monitor::App app;
    return twinsite::base::daemon::run(argc, argv, settings, app);
}
