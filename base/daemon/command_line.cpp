// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/command_line.hpp"

#include <map>
#include <sstream>

#include <CLI/CLI.hpp>

namespace twinsite::base::daemon {

Command parse_command_line(int argc, const char* const* argv, const Settings& settings) {
    const std::map<std::string, log::Format> formats{
        {"text", log::Format::text}, {"json", log::Format::json}
    };
    const std::map<std::string, log::Level> levels{
        {"debug", log::Level::debug},
        {"info", log::Level::info},
        {"warning", log::Level::warning},
        {"error", log::Level::error},
    };
    Command out;
    std::string check;
    std::string format = "text";
    std::string level = "info";
    CLI::App app(settings.description, settings.name);
    app.set_version_flag("--version", settings.name + " " + settings.version);
    auto* config = app.add_option("--config", out.file, "Serve with this configuration file");
    app.add_option("--check", check, "Check this configuration file and leave")->excludes(config);
    app.add_option("--log-format", format, "text or json")->check(CLI::IsMember({"text", "json"}));
    app.add_option("--log-level", level, "debug, info, warning or error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    try {
        app.parse(argc, argv);
        if (out.file.empty() && check.empty())
            throw CLI::RequiredError("one of --config FILE and --check FILE");
    } catch (const CLI::ParseError& stop) {
        std::ostringstream good;
        std::ostringstream bad;
        const bool asked = app.exit(stop, good, bad) == 0;  // --help and --version
        out.exit_code = asked ? exit_ok : exit_usage;
        out.output = asked ? good.str() : bad.str();
        return out;
    }
    out.log_format = formats.at(format);
    out.log_level = levels.at(level);
    out.action = check.empty() ? Command::Action::serve : Command::Action::check;
    if (!check.empty()) out.file = check;
    return out;
}

}  // namespace twinsite::base::daemon
