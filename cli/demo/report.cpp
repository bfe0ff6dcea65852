// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/report.hpp"

#include <algorithm>
#include <cstdio>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"
#include "cli/demo/certificates.hpp"
#include "cli/demo/place.hpp"
#include "cli/output/table.hpp"

namespace twinsite::cli::demo {
namespace {

std::string life_text(Life life) {
    switch (life) {
        case Life::running:
            return "running";
        case Life::stopped:
            return "stopped";
        case Life::dead:
            return "dead";
    }
    return "";
}

// Agents only call others.
std::string address_of(const Part& part) {
    return part.port == 0 ? part.address : part.address + ":" + std::to_string(part.port);
}

std::string one_time_password(const Layout& layout) {
    const auto text = base::file::read_state_file(layout.folder("run") / "first-password");
    return text && *text ? std::string(base::text::trim(**text)) : std::string();
}

void print_control_hints(const Layout& layout) {
    const auto address = layout.switchover_address();
    std::printf(
        "\nConsole:    https://%s:%d/    user admin, one-time password %s\n",
        address.c_str(),
        kConsolePort,
        one_time_password(layout).c_str()
    );
    std::printf(
        "Operator:   export TWINSITE_SERVER=%s:%d TWINSITE_TLS=%s\n"
        "            twinsite status; twinsite hosts; twinsite why site-east-down\n",
        address.c_str(),
        kMachinePort,
        (pki_folder(layout) / "operator.crt").c_str()
    );
}

}  // namespace

bool all_good(const std::vector<PartState>& states) {
    return std::all_of(states.begin(), states.end(), [](const PartState& state) {
        return state.fault.empty();
    });
}

void print_table(const std::vector<PartState>& states) {
    output::Table table(
        {{"PART"}, {"SITE"}, {"ADDRESS"}, {"PID", output::Align::right}, {"PROCESS"}, {"WORKS"}}
    );
    for (const auto& state : states)
        table.add({
            state.part.name,
            state.part.site,
            address_of(state.part),
            state.life != Life::dead && state.record ? std::to_string(state.record->pid) : "",
            life_text(state.life),
            state.fault.empty() ? "yes" : "no: " + state.fault,
        });
    std::fputs(table.text().c_str(), stdout);
}

void print_json(const Scene& scene, const std::vector<PartState>& states) {
    boost::json::object out;
    out["state"] = scene.layout().state().string();
    out["net"] = scene.layout().net();
    out["good"] = all_good(states);
    boost::json::array parts;
    for (const auto& state : states) {
        boost::json::object part;
        part["name"] = state.part.name;
        part["site"] = state.part.site;
        part["address"] = address_of(state.part);
        if (state.record)
            part["pid"] = state.record->pid;
        else
            part["pid"] = nullptr;
        part["process"] = life_text(state.life);
        part["works"] = state.fault.empty();
        part["fault"] = state.fault;
        parts.push_back(std::move(part));
    }
    out["parts"] = std::move(parts);
    std::printf("%s\n", boost::json::serialize(out).c_str());
}

void print_hints(const Scene& scene) {
    const auto& layout = scene.layout();
    const auto arguments = extra_arguments(layout);
    const auto east = layout.gslb_address("east");
    const auto west = layout.gslb_address("west");
    std::printf(
        "\nSteering: the same question, asked for users of east and of west\n"
        "  dig +short @%s -p %d %s A +subnet=10.1.0.0/16    # %s, east\n"
        "  dig +short @%s -p %d %s A +subnet=10.2.0.0/16    # %s, west\n",
        east.c_str(),
        kDnsPort,
        kServiceName.data(),
        layout.slb_address("east").c_str(),
        west.c_str(),
        kDnsPort,
        kServiceName.data(),
        layout.slb_address("west").c_str()
    );
    print_control_hints(layout);
    std::printf(
        "Why:        twinsite gslb explain %s --subnet 10.1.0.0/16 --socket %s\n"
        "Balancing:  twinsite slb blades --socket %s\n",
        kServiceName.data(),
        (layout.folder("run") / "gslb-east.sock").c_str(),
        (layout.folder("run") / "slb-east.sock").c_str()
    );
    std::printf(
        "Traffic:    twinsite demo traffic%s\n"
        "Break:      twinsite demo break blade east 1%s     or: slb east, gslb west\n"
        "            twinsite demo break site east%s        add --stop to freeze it instead\n"
        "Heal, end:  twinsite demo heal%s\n"
        "            twinsite demo stop%s\n",
        arguments.c_str(),
        arguments.c_str(),
        arguments.c_str(),
        arguments.c_str(),
        arguments.c_str()
    );
}

}  // namespace twinsite::cli::demo
