// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check.hpp"

#include "base/http/message.hpp"
#include "probe/http.hpp"
#include "probe/tcp.hpp"

namespace twinsite::gslb::health {

std::string to_string(const Question& question) {
    std::string out = question.kind == Kind::tcp ? "tcp " : "http ";
    out += base::net::to_string(question.target);
    if (question.source) out += " from " + base::text::to_string(*question.source);
    if (question.kind == Kind::tcp) return out;
    out += " GET " + base::http::quote_json(question.path);
    out += " host " + base::http::quote_json(question.host) + " status";
    for (const auto status : question.expect_status) out += " " + std::to_string(status);
    if (!question.expect_body.empty())
        out += " body " + base::http::quote_json(question.expect_body);
    return out;
}

std::unique_ptr<probe::Probe> make_probe(const Question& question) {
    if (question.kind == Kind::tcp) {
        return std::make_unique<probe::TcpProbe>(
            probe::TcpProbe::Settings{question.target, question.source}
        );
    }
    probe::HttpProbe::Settings settings;
    settings.target = question.target;
    settings.source = question.source;
    settings.path = question.path;
    settings.host = question.host;
    settings.expect_status = question.expect_status;
    settings.expect_body = question.expect_body;
    return std::make_unique<probe::HttpProbe>(std::move(settings));
}

}  // namespace twinsite::gslb::health
