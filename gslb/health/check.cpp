// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/check.hpp"

#include "probe/make.hpp"
#include "probe/probe.hpp"

namespace twinsite::gslb::health {

std::string to_string(const Question& question) {
    std::string out = probe::kind_of(question.ask);
    const bool port = probe::has_port(question.ask);
    out += " " + (port ? base::net::to_string(question.target)
                       : base::text::to_string(question.target.address));
    if (question.source) out += " from " + base::text::to_string(*question.source);
    const auto details = probe::details_of(question.ask);
    return details.empty() ? out : out + " " + details;
}

std::unique_ptr<probe::Probe> make_probe(const Question& question) {
    return probe::make(question.ask, {question.target, question.source});
}

}  // namespace twinsite::gslb::health
