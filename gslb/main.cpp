// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"
#include "gslb/app.hpp"

int main(int argc, char** argv) {
    twinsite::base::daemon::Settings settings;
    settings.name = "twinsite-gslb";
    settings.description = "Authoritative DNS that answers each client with the best site";
    settings.version = TWINSITE_VERSION;
    twinsite::gslb::App app;
    return twinsite::base::daemon::run(argc, argv, settings, app);
}
