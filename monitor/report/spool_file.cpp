// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/spool_file.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::report {
namespace {

namespace text = base::text;
using std::chrono::milliseconds;

constexpr std::string_view kTitle = "twinsite-spool 1 ";
constexpr std::string_view kNoStart = "-";

std::string heading(const SpoolFile::Moment& now) {
    const std::string_view start = now.machine_start.empty() ? kNoStart : now.machine_start;
    return std::string(kTitle) + std::string(start) + "\n";
}

/// "+ ID MONOTONIC_MS WALL_MS SERVER,SERVER TEXT", where the times are those of measuring.
std::string entry_line(const SpoolFile::Kept& entry, const SpoolFile::Moment& now) {
    const auto age = (now.monotonic - entry.measured).count();
    const auto wall = static_cast<std::int64_t>(now.wall_ms) - age;
    return "+ " + std::to_string(entry.id) + " " + std::to_string(entry.measured.count()) + " " +
           std::to_string(wall) + " " + text::join(entry.servers, ",") + " " + entry.text + "\n";
}

/// Takes the next word of a line.
std::string_view take_word(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

class Reader {
public:
    explicit Reader(const SpoolFile::Moment& now) : now_(now) {}

    /// False when the line cannot be used.
    bool read(std::string_view line) {
        const auto kind = take_word(line);
        const auto id = text::parse_number<std::uint64_t>(take_word(line));
        if (!id) return false;
        if (kind == "+") return read_entry(*id, line);
        if (kind == "-") return read_acknowledged(*id, line);
        return false;
    }
    void same_machine_start(bool same) { same_start_ = same; }
    std::vector<SpoolFile::Kept> take() {
        std::vector<SpoolFile::Kept> out;
        for (auto& [id, entry] : entries_) out.push_back(std::move(entry));
        return out;
    }

private:
    bool read_entry(std::uint64_t id, std::string_view rest) {
        const auto monotonic = text::parse_number<std::int64_t>(take_word(rest));
        const auto wall = text::parse_number<std::int64_t>(take_word(rest));
        const auto servers = take_word(rest);
        if (!monotonic || !wall || servers.empty() || rest.empty()) return false;
        const auto by_wall = milliseconds(static_cast<std::int64_t>(now_.wall_ms) - *wall);
        const auto age = same_start_ ? now_.monotonic - milliseconds(*monotonic) : by_wall;
        SpoolFile::Kept entry;
        entry.id = id;
        entry.measured =
            now_.monotonic - std::clamp<milliseconds>(age, milliseconds(0), SpoolFile::kMaxAge);
        for (const auto server : text::split(servers, ',')) entry.servers.emplace_back(server);
        entry.text = rest;
        entries_[id] = std::move(entry);
        return true;
    }

    bool read_acknowledged(std::uint64_t id, std::string_view server) {
        const auto at = entries_.find(id);
        if (at == entries_.end()) return false;
        std::erase(at->second.servers, server);
        if (at->second.servers.empty()) entries_.erase(at);
        return true;
    }

    const SpoolFile::Moment& now_;
    bool same_start_ = false;
    std::map<std::uint64_t, SpoolFile::Kept> entries_;
};

}  // namespace

SpoolFile::Loaded SpoolFile::load(const Moment& now) const {
    Loaded out;
    const auto content = base::file::read_state_file(path_);
    if (!content) out.damaged = 1;
    if (!content || !*content) return out;
    std::string_view rest = **content;
    const auto take_line = [&rest]() -> std::optional<std::string_view> {
        const auto end = rest.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const auto line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        return line;
    };
    const auto title = take_line();
    if (!title || !title->starts_with(kTitle)) {
        out.damaged = 1;
        return out;
    }
    Reader reader(now);
    const auto start = title->substr(kTitle.size());
    reader.same_machine_start(start != kNoStart && start == now.machine_start);
    while (const auto line = take_line())
        if (!reader.read(*line)) ++out.damaged;
    if (!rest.empty()) ++out.damaged;
    out.entries = reader.take();
    return out;
}

bool SpoolFile::append(const Kept& entry, const Moment& now) {
    auto line = entry_line(entry, now);
    if (!file_.is_open()) line.insert(0, heading(now));
    return write(line);
}

bool SpoolFile::append_acknowledged(std::uint64_t id, std::string_view server) {
    return file_.is_open() && write("- " + std::to_string(id) + " " + std::string(server) + "\n");
}

bool SpoolFile::rewrite(const std::vector<Kept>& entries, const Moment& now) {
    file_.close();
    bytes_ = 0;
    needs_rewrite_ = true;
    if (entries.empty()) {
        needs_rewrite_ = ::unlink(path_.c_str()) != 0 && errno != ENOENT;
        return !needs_rewrite_;
    }
    auto content = heading(now);
    for (const auto& entry : entries) content += entry_line(entry, now);
    if (!base::file::write_state_file(path_, content, base::file::Durability::renamed))
        return false;
    file_ = base::file::Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    bytes_ = content.size();
    needs_rewrite_ = !file_.is_open();
    return file_.is_open();
}

bool SpoolFile::write(std::string_view line) {
    // To begin a file here would cut off the good one that could not be replaced.
    if (needs_rewrite_ || bytes_ + line.size() > kMaxBytes) return false;
    if (!file_.is_open())
        file_ = base::file::Descriptor(
            ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0640)
        );
    if (!file_.is_open()) return false;
    // A part of a line is taken for damage when read, and the next rewrite removes it.
    const auto written = ::write(file_.number(), line.data(), line.size());
    if (written > 0) bytes_ += static_cast<std::size_t>(written);
    return written == static_cast<ssize_t>(line.size());
}

}  // namespace twinsite::monitor::report
