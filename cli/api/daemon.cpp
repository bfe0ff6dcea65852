// SPDX-License-Identifier: Apache-2.0
#include "cli/api/daemon.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/http/client.hpp"
#include "base/text/text.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli::api {
namespace json = boost::json;

namespace {

constexpr std::size_t kShownBytes = 400;  // of a body that is no problem

// A finding is a line of text, or an object {file, line, text}.
std::string finding_text(const json::value& finding) {
    if (!finding.is_object()) return output::to_text(finding);
    std::string out;
    for (const auto* key : {"file", "line", "column", "path", "text"}) {
        const auto part = output::text_at(finding, key);
        if (part.empty()) continue;
        if (!out.empty()) out += std::string_view(key) == "text" ? ": " : ":";
        out += part;
    }
    return out;
}

ExitCode exit_of_error(const base::Error& error) {
    return error == boost::system::errc::timed_out ? ExitCode::exit_timed_out
                                                   : ExitCode::exit_unreachable;
}

std::string advice(const base::Error& error) {
    if (error == boost::system::errc::no_such_file_or_directory)
        return "\nIs it running? Name its control socket with --socket.";
    if (error == boost::system::errc::connection_refused)
        return "\nNobody listens there: the daemon has ended.";
    if (error == boost::system::errc::permission_denied)
        return "\nOnly the daemon's user and group may use its control socket.";
    return "";
}

}  // namespace

ExitCode exit_of_status(unsigned status) {
    switch (status) {
        case 400:
        case 422:
            return ExitCode::exit_usage;
        case 403:
        case 409:
        case 412:
            return ExitCode::exit_refused;
        case 504:
            return ExitCode::exit_timed_out;
        default:
            return status >= 200 && status < 300 ? ExitCode::exit_ok : ExitCode::exit_failed;
    }
}

std::string describe_problem(unsigned status, const std::string& body) {
    boost::system::error_code failed;
    const auto problem = json::parse(body, failed);
    const auto title = failed ? std::string() : output::text_at(problem, "title");
    if (title.empty())
        return "status " + std::to_string(status) + ": " +
               base::text::printable(body.substr(0, kShownBytes));

    std::string out = title;
    if (const auto detail = output::text_at(problem, "detail"); !detail.empty())
        out += ": " + detail;
    for (const auto* finding : output::elements(output::member(problem, "findings")))
        out += "\n  " + finding_text(*finding);
    if (const auto names = output::text_at(problem, "candidates"); !names.empty())
        out += "\n  known: " + names;
    return out;
}

Answer Daemon::call(const std::string& method, const std::string& target, const std::string& body)
    const {
    base::http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json");
    const auto response =
        base::http::request(base::http::Target::at_unix(socket_), request, limit_);

    Answer out;
    if (!response) {
        const auto error = response.error();
        out.exit = exit_of_error(error);
        out.failure = name_ + " at " + socket_ + ": " + error.message() + advice(error);
        return out;
    }
    out.status = response->status;
    out.body = response->body;
    out.exit = exit_of_status(response->status);
    if (out.exit != ExitCode::exit_ok)
        out.failure = name_ + ": " + describe_problem(response->status, response->body);
    return out;
}

}  // namespace twinsite::cli::api
