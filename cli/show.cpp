// SPDX-License-Identifier: Apache-2.0
#include "cli/show.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/http/message.hpp"

namespace twinsite::cli {
namespace {

void print(std::FILE* to, std::string text) {
    if (!text.ends_with('\n')) text += '\n';
    std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace

ExitCode show(const Settings& settings, const api::Answer& answer, Render render) {
    if (settings.format == Format::json) {
        if (answer.status == 0 && answer.exit == ExitCode::exit_usage)
            print(stderr, answer.failure);  // nobody was asked
        else if (answer.status == 0)
            print(
                stdout, base::http::problem(503, "No answer from the daemon", answer.failure).body
            );
        else if (!answer.body.empty())
            print(stdout, answer.body);
        return answer.exit;
    }
    if (answer.exit != ExitCode::exit_ok)
        print(stderr, answer.failure);
    else
        print(stdout, render(answer.body));
    return answer.exit;
}

api::Daemon daemon(const Settings& settings, const std::string& name, const char* variable) {
    auto socket = settings.socket;
    if (socket.empty())
        if (const auto* set = std::getenv(variable); set != nullptr) socket = set;
    if (socket.empty()) socket = "/run/twinsite/" + name + ".sock";
    return {name, socket, settings.limit};
}

}  // namespace twinsite::cli
