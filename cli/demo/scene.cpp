// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/scene.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/file.h>
#include <sys/socket.h>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/http/client.hpp"
#include "base/net/endpoint.hpp"
#include "cli/demo/configuration.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

base::Error io_error() {
    return {EIO, boost::system::system_category()};
}

base::Error to_error(const std::error_code& failed) {
    return {failed.value(), boost::system::system_category()};
}

std::string read_text(const fs::path& path) {
    auto text = base::file::read_state_file(path);
    return text && *text ? **std::move(text) : std::string();
}

base::Result<void> write_text(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::trunc);
    out << text;
    out.close();
    if (!out) return io_error();
    return {};
}

fs::path note_of(const fs::path& state) {
    return state / "run" / "demo.json";
}

base::net::Endpoint endpoint_of(const Part& part, std::uint16_t port) {
    const auto address = base::text::parse_ip(part.address);
    return {address.value_or(base::text::IpAddress{}), port};
}

base::Result<base::http::Response> fetch(base::http::Target from, const std::string& target) {
    base::http::Request request;
    request.target = target;
    return base::http::request(from, request, 800ms);
}

std::string readiness_fault(const Part& part) {
    const auto answer =
        fetch(base::http::Target::at_tcp(endpoint_of(part, kStatusPort)), "/readyz");
    if (!answer) return "status port: " + answer.error().message();
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

// A target that its gslb does not hold for up although its site works: just found out, or healed a
// moment ago. Sites that are broken are no fault of the gslb.
std::string sight_fault(const fs::path& gslb_socket, const std::set<std::string>& good_sites) {
    const auto answer = fetch(base::http::Target::at_unix(gslb_socket), "/api/v1/status");
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

// Empty when a socket of this kind can be bound; nothing stays bound.
std::string bind_fault(const Part& part, std::uint16_t port, int type) {
    const int file = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (file < 0) return "";
    const int yes = 1;
    // Connections that ended lately do not count, listeners do.
    if (type == SOCK_STREAM) setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto at = base::net::to_socket_address(endpoint_of(part, port));
    int failure = bind(file, at.data(), at.size) == 0 ? 0 : errno;
    if (failure == 0 && type == SOCK_STREAM && listen(file, 1) != 0) failure = errno;
    close(file);
    if (failure == 0) return "";
    return part.address + ":" + std::to_string(port) + " (for " + part.name +
           "): " + base::Error(failure, boost::system::system_category()).message();
}

std::vector<std::string> command_of(
    const Layout& layout, const fs::path& programs, const Part& part
) {
    if (part.kind == Kind::blade)
        return {
            programs / "twinsite-blade",
            "--listen",
            part.address + ":" + std::to_string(part.port),
            "--host",
            "b" + std::to_string(part.number) + "." + part.site + ".example.net",
            "--realm",
            "example.net",
        };
    const auto* program = part.kind == Kind::slb ? "twinsite-slb" : "twinsite-gslb";
    return {programs / program, "--config", layout.configuration(part)};
}

bool settled(const std::vector<PartState>& states, const Selection& selection) {
    return std::all_of(states.begin(), states.end(), [&](const PartState& state) {
        return !selection.covers(state.part) || state.fault.empty();
    });
}

bool hopeless(const std::vector<PartState>& states, const Selection& selection) {
    return std::any_of(states.begin(), states.end(), [&](const PartState& state) {
        return selection.covers(state.part) && state.life == Life::dead;
    });
}

}  // namespace

base::Result<void> Scene::prepare() const {
    std::error_code failed;
    for (const auto* name : {"run", "log", "etc", "state"}) {
        fs::create_directories(layout_.folder(name), failed);
        if (failed) return to_error(failed);
    }
    for (const auto& part : layout_.parts()) {
        // What operators told the daemons of the last demo, and its logs, are not for this one.
        fs::remove(layout_.log(part), failed);
        if (part.kind == Kind::blade) continue;
        const auto memory = layout_.folder("state") / part.name;
        fs::remove_all(memory, failed);
        fs::create_directories(memory, failed);
        if (failed) return to_error(failed);
    }
    for (const auto& [name, text] : configuration_files(layout_)) {
        auto written = write_text(layout_.folder("etc") / name, text);
        if (!written) return written;
    }
    boost::json::object note;
    note["net"] = layout_.net();
    return write_text(note_of(layout_.state()), boost::json::serialize(note) + "\n");
}

base::Result<void> Scene::launch_part(const Part& part) const {
    const auto record = launch(command_of(layout_, programs_, part), layout_.log(part));
    if (!record) return record.error();
    return write_record(layout_.record(part), *record);
}

std::vector<PartState> Scene::lives() const {
    std::vector<PartState> out;
    for (const auto& part : layout_.parts()) {
        PartState state{part, read_record(layout_.record(part)), Life::dead, ""};
        if (state.record) state.life = life_of(*state.record);
        if (state.life == Life::dead) state.fault = "dead";
        if (state.life == Life::stopped) state.fault = "stopped";
        out.push_back(std::move(state));
    }
    return out;
}

std::string Scene::fault_of(const Part& part) const {
    if (part.kind != Kind::blade) return readiness_fault(part);
    for (const auto& other : layout_.parts())
        if (other.kind == Kind::slb && other.site == part.site)
            return blade_fault(layout_.control_socket(other), part.number);
    return "";
}

std::vector<PartState> Scene::look() const {
    auto out = lives();
    std::set<std::string> good_sites;
    for (auto& state : out) {
        if (state.life == Life::running) state.fault = fault_of(state.part);
        if (state.part.kind == Kind::slb && state.fault.empty()) good_sites.insert(state.part.site);
    }
    for (auto& state : out)
        if (state.part.kind == Kind::gslb && state.fault.empty())
            state.fault = sight_fault(layout_.control_socket(state.part), good_sites);
    return out;
}

std::vector<PartState> Scene::wait_until_good(
    const Selection& selection, std::chrono::milliseconds limit
) const {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        auto states = look();
        if (settled(states, selection) || hopeless(states, selection) ||
            std::chrono::steady_clock::now() >= end)
            return states;
        poll(nullptr, 0, 50);
    }
}

void Scene::forget() const {
    std::error_code ignored;  // what is gone already is gone
    for (const auto& part : layout_.parts()) {
        fs::remove(layout_.record(part), ignored);
        fs::remove(layout_.control_socket(part), ignored);
    }
    fs::remove(note_of(layout_.state()), ignored);
}

std::string Scene::end_of_log(const Part& part, int lines) const {
    std::ifstream in(layout_.log(part));
    std::deque<std::string> last;
    for (std::string line; std::getline(in, line);) {
        last.push_back(line);
        if (last.size() > static_cast<std::size_t>(lines)) last.pop_front();
    }
    std::string out;
    for (const auto& line : last) out.append("    ").append(line).append("\n");
    return out;
}

std::optional<std::string> noted_net(const fs::path& state) {
    auto net = output::text_at(output::parse_body(read_text(note_of(state))), "net");
    if (!Layout::is_net(net)) return std::nullopt;
    return net;
}

std::string occupied_address(const Layout& layout) {
    for (const auto& part : layout.parts()) {
        if (auto fault = bind_fault(part, part.port, SOCK_STREAM); !fault.empty()) return fault;
        if (part.kind == Kind::blade) continue;
        if (auto fault = bind_fault(part, kStatusPort, SOCK_STREAM); !fault.empty()) return fault;
        if (part.kind != Kind::gslb) continue;
        if (auto fault = bind_fault(part, part.port, SOCK_DGRAM); !fault.empty()) return fault;
    }
    return "";
}

std::optional<SceneLock> SceneLock::take(const fs::path& state) {
    const auto path = state / "lock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return std::nullopt;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        return std::nullopt;
    }
    return SceneLock(file);
}

SceneLock::SceneLock(SceneLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

SceneLock::~SceneLock() {
    if (file_ >= 0) close(file_);
}

}  // namespace twinsite::cli::demo
