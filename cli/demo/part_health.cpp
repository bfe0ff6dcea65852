// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/part_health.hpp"

#include <chrono>

#include <boost/json/value.hpp>

#include "base/http/client.hpp"
#include "base/net/endpoint.hpp"
#include "cli/demo/certificates.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

base::net::Endpoint endpoint_of(const Part& part, std::uint16_t port) {
    const auto address = base::text::parse_ip(part.address);
    return {address.value_or(base::text::IpAddress{}), port};
}

base::Result<base::http::Response> fetch(base::http::Target from, const std::string& target) {
    base::http::Request request;
    request.target = target;
    return base::http::request(from, request, 800ms);
}

std::string readiness_fault(const base::http::Target& target, const char* path) {
    const auto answer = fetch(target, path);
    if (!answer) return "does not answer: " + answer.error().message();
    if (answer->status == 200) return "";
    const auto detail = output::text_at(output::parse_body(answer->body), "detail");
    return detail.empty() ? "not ready" : "not ready: " + detail;
}

// What the balancer of the blade's site says about the link to it.
std::string blade_fault(const fs::path& slb_socket, int number) {
    const auto answer = fetch(base::http::Target::at_unix(slb_socket), "/api/v1/blades");
    if (!answer) return "slb does not answer: " + answer.error().message();
    const auto body = output::parse_body(answer->body);
    const auto name = "b" + std::to_string(number);
    for (const auto* blade : output::elements(output::member(body, "blades"))) {
        if (output::text_at(*blade, "name") != name) continue;
        const auto link = output::text_at(*blade, "link");
        return link == "open" ? "" : "link to slb: " + link;
    }
    return "unknown to slb";
}

base::http::Target machine_port(const Layout& layout, const Part& part) {
    auto out = base::http::Target::at_tcp(endpoint_of(part, part.port));
    const auto pki = pki_folder(layout);
    base::http::TlsClient tls;
    tls.ca = pki / "ca.crt";
    tls.server_name = part.address;
    tls.certificate = pki / "operator.crt";
    tls.key = pki / "operator.key";
    out.tls = tls;
    return out;
}

std::string blade_fault(const Layout& layout, const Part& blade) {
    for (const auto& other : layout.parts())
        if (other.kind == Kind::slb && other.site == blade.site)
            return blade_fault(layout.control_socket(other), blade.number);
    return "";
}

}  // namespace

std::string fault_of(const Layout& layout, const Part& part) {
    using base::http::Target;
    switch (part.kind) {
        case Kind::blade:
            return blade_fault(layout, part);
        case Kind::slb:
        case Kind::gslb:
            return readiness_fault(Target::at_tcp(endpoint_of(part, kStatusPort)), "/readyz");
        case Kind::switchover:
            return readiness_fault(machine_port(layout, part), "/readyz");
        case Kind::monitor:
        case Kind::agent:
            break;
    }
    return readiness_fault(Target::at_unix(layout.control_socket(part)), "/healthz");
}

std::string sight_fault(
    const Layout& layout, const Part& gslb, const std::set<std::string>& good_sites
) {
    const auto socket = layout.control_socket(gslb);
    const auto answer = fetch(base::http::Target::at_unix(socket), "/api/v1/status");
    if (!answer) return "control socket: " + answer.error().message();
    const auto body = output::parse_body(answer->body);
    for (const auto* service : output::elements(output::member(body, "services")))
        for (const auto* target : output::elements(output::member(*service, "targets"))) {
            const auto state = output::text_at(*target, "state");
            if (state != "up" && good_sites.contains(output::text_at(*target, "site")))
                return "sees " + output::text_at(*target, "name") + " " + state;
        }
    return "";
}

}  // namespace twinsite::cli::demo
