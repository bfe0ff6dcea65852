// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twinsite::cli {

/// Reads the command line, runs the one command it names and returns its exit code
/// (base::daemon::ExitCode). This is the only place that knows the option parser.
int run(int argc, char** argv);

}  // namespace twinsite::cli
