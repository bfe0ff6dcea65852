// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/daemon.hpp"
#include "slb/app.hpp"

int main(int argc, char** argv) {
    twinsite::base::daemon::Settings settings;
    settings.name = "twinsite-slb";
    settings.description = "Diameter balancer in front of a site's charging blades";
    settings.version = TWINSITE_VERSION;
    twinsite::slb::App app;
    return twinsite::base::daemon::run(argc, argv, settings, app);
}
