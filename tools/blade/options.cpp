// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/options.hpp"

#include <CLI/CLI.hpp>

#include "base/text/text.hpp"

namespace twinsite::tools::blade {
namespace {

constexpr int kBadUsage = 2;

std::string endpoint_problem(const std::string& text) {
    if (base::net::parse_endpoint(text)) return {};
    return "'" + text + "' is not IP:PORT";
}

std::string duration_problem(const std::string& text) {
    if (base::text::parse_duration(text)) return {};
    return "'" + text + "' is not a duration like 2ms or 10s";
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
    Options out;
    std::string listen;
    std::string delay = "0ms";
    std::string watchdog = "30s";
    CLI::App app(
        "twinsite-blade: a simulated charging blade. Answers Diameter credit control requests\n"
        "(application 4) of any number of peers. SIGTERM leaves politely (DPR) and prints what\n"
        "it counted as one JSON object.",
        "twinsite-blade"
    );
    app.add_option("--listen", listen, "address to accept peers on")
        ->required()
        ->type_name("IP:PORT")
        ->check(endpoint_problem);
    app.add_option("--host", out.host, "Origin-Host")->required()->type_name("HOST");
    app.add_option("--realm", out.realm, "Origin-Realm")->required()->type_name("REALM");
    app.add_flag("--strict", out.strict, "5002 to updates and terminations of unknown sessions");
    app.add_option("--delay", delay, "wait before each answer (default 0ms)")
        ->type_name("DURATION")
        ->check(duration_problem);
    app.add_option("--result-code", out.result_code, "Result-Code of good requests (default 2001)")
        ->type_name("CODE")
        ->check(CLI::Range(1000, 9999));
    app.add_option("--watchdog", watchdog, "silence before a DWR (default 30s)")
        ->type_name("DURATION")
        ->check(duration_problem);
    app.add_option("--stats-file", out.stats_file, "also write the counts here, once a second")
        ->type_name("FILE");
    app.set_version_flag("--version", "twinsite-blade " TWINSITE_VERSION);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error) == 0 ? 0 : kBadUsage;
        return std::nullopt;
    }
    // All three have been checked by the parser.
    out.listen = base::net::parse_endpoint(listen).value_or(base::net::Endpoint{});
    out.delay = base::text::parse_duration(delay).value_or(std::chrono::milliseconds(0));
    out.watchdog = base::text::parse_duration(watchdog).value_or(out.watchdog);
    return out;
}

}  // namespace twinsite::tools::blade
