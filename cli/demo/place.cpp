// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/place.hpp"

#include <cstdlib>

#include "cli/demo/scene.hpp"

namespace twinsite::cli::demo {
namespace fs = std::filesystem;

namespace {

// Empty without a HOME.
fs::path default_state() {
    const auto* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0') return {};
    return fs::path(home) / ".twinsite-demo";
}

std::string state_argument(const fs::path& state) {
    return state == default_state() ? "" : " --state " + state.string();
}

}  // namespace

Place find_place(const Options& options) {
    Place out;
    const auto wanted = options.state.empty() ? default_state() : fs::path(options.state);
    if (wanted.empty()) {
        out.fault = "there is no HOME; name a folder with --state";
        return out;
    }
    std::error_code failed;
    out.state = fs::absolute(wanted, failed).lexically_normal();
    if (!out.state.has_filename()) out.state = out.state.parent_path();  // "dir/"
    out.noted = noted_net(out.state);
    out.net = options.net.empty() ? out.noted.value_or("127.0") : options.net;
    if (!Layout::is_net(out.net))
        out.fault = "--net: '" + out.net + "' is not 127.0 to 127.255 (two octets, loopback)";
    if (out.net == "127.10") out.fault = "--net: 127.10 belongs to the demo's clients";
    return out;
}

fs::path programs_folder() {
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed).parent_path();
}

std::string extra_arguments(const Layout& layout) {
    return state_argument(layout.state());
}

std::string absent_text(const fs::path& state) {
    return "No demo runs in " + state.string() + ". `twinsite demo start" + state_argument(state) +
           "` starts one.";
}

std::string busy_text(const fs::path& state) {
    return "Another `twinsite demo` command is at work in " + state.string() +
           ", or the folder cannot be written to.";
}

std::string selection_usage() {
    return "name what: site east|west, slb east|west, gslb east|west, blade east|west 1|2, "
           "agent if1|proc1 east|west, monitor east|west|arbiter, or switchover";
}

}  // namespace twinsite::cli::demo
