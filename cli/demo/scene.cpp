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
#include "base/net/endpoint.hpp"
#include "cli/demo/certificates.hpp"
#include "cli/demo/configuration.hpp"
#include "cli/demo/part_health.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

base::Error io_error() {
    return {EIO, boost::system::system_category()};
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

const char* program_of(Kind kind) {
    switch (kind) {
        case Kind::blade:
            return "twinsite-blade";
        case Kind::slb:
            return "twinsite-slb";
        case Kind::gslb:
            return "twinsite-gslb";
        case Kind::switchover:
            return "twinsite-switchover";
        case Kind::monitor:
        case Kind::agent:
            break;
    }
    return "twinsite-monitor";
}

/// TCP ports that a part listens on.
std::vector<std::uint16_t> ports_of(const Part& part) {
    switch (part.kind) {
        case Kind::slb:
        case Kind::gslb:
            return {part.port, kControlPort, kStatusPort};
        case Kind::switchover:
            return {part.port, kConsolePort};
        case Kind::blade:
        case Kind::monitor:
            return {part.port};
        case Kind::agent:
            break;
    }
    return {};
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
    return {programs / program_of(part.kind), "--config", layout.configuration(part)};
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

std::string Scene::prepare() const {
    if (auto fault = make_folders(); !fault.empty()) return fault;
    if (auto fault = make_certificates(layout_); !fault.empty()) return "certificates: " + fault;
    if (auto fault = copy_scenarios(); !fault.empty()) return "scenarios: " + fault;
    for (const auto& [name, text] : configuration_files(layout_, find_share("console").string())) {
        const auto written = write_text(layout_.folder("etc") / name, text);
        if (!written) return name + ": " + written.error().message();
    }
    boost::json::object note;
    note["net"] = layout_.net();
    const auto noted = write_text(note_of(layout_.state()), boost::json::serialize(note) + "\n");
    return noted ? "" : noted.error().message();
}

std::string Scene::make_folders() const {
    std::error_code failed;
    for (const auto* name : {"run", "log", "etc", "state"}) {
        fs::create_directories(layout_.folder(name), failed);
        if (failed) return failed.message();
    }
    for (const auto& part : layout_.parts()) {
        // What operators told the daemons of the last demo, and its logs, are not for this one.
        fs::remove(layout_.log(part), failed);
        if (part.kind == Kind::blade) continue;
        const auto memory = layout_.folder("state") / part.name;
        fs::remove_all(memory, failed);
        fs::create_directories(memory, failed);
        if (failed) return failed.message();
    }
    return "";
}

std::string Scene::copy_scenarios() const {
    const auto from = find_share("scenarios");
    if (from.empty()) return "share/twinsite/scenarios is not beside the programs";
    const auto to = layout_.folder("etc") / "scenarios";
    std::error_code failed;
    fs::remove_all(to, failed);
    if (!failed) fs::copy(from, to, fs::copy_options::recursive, failed);
    return failed ? failed.message() : "";
}

std::filesystem::path Scene::find_share(const char* name) const {
    // Installed; in a build folder; what scripts/console has built.
    for (const auto& folder : {programs_ / "../share/twinsite" / name, programs_ / "../../" / name})
        if (std::error_code ignored; fs::is_directory(folder, ignored))
            return fs::canonical(folder, ignored);
    return {};
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

std::vector<PartState> Scene::look() const {
    auto out = lives();
    std::set<std::string> good_sites;
    for (auto& state : out) {
        if (state.life == Life::running) state.fault = fault_of(layout_, state.part);
        if (state.part.kind == Kind::slb && state.fault.empty()) good_sites.insert(state.part.site);
    }
    for (auto& state : out)
        if (state.part.kind == Kind::gslb && state.fault.empty())
            state.fault = sight_fault(layout_, state.part, good_sites);
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
        for (const auto port : ports_of(part))
            if (auto fault = bind_fault(part, port, SOCK_STREAM); !fault.empty()) return fault;
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
