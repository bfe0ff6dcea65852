// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"
#include "switchover/app.hpp"

int main(int argc, char** argv) {
    twinsite::base::daemon::Settings settings;
    settings.name = "twinsite-switchover";
    settings.description = "Judges the sites, runs scenarios, serves the console";
    settings.version = TWINSITE_VERSION;
    twinsite::switchover::App app;
    return twinsite::base::daemon::run(argc, argv, settings, app);
}
