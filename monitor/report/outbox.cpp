// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/outbox.hpp"

#include <algorithm>
#include <utility>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::report {

namespace log = base::log;
using log::Level;

std::string machine_start() {
    const auto content = base::file::read_state_file("/proc/sys/kernel/random/boot_id");
    if (!content || !*content) return {};
    return std::string(base::text::trim(**content));
}

Outbox::Outbox(
    spool::Limits limits, std::vector<std::string> servers, std::string file, Clocks clocks
)
    : servers_(std::move(servers)),
      clocks_(std::move(clocks)),
      machine_start_(machine_start()),
      spool_(limits, servers_.size()),
      file_(std::move(file)) {
    restore();
}

void Outbox::add(std::string text) {
    const auto now = clocks_.monotonic();
    spool_.add(std::move(text), now);
    spool_.trim(now);
    write(spool_.to_write(false));
}

void Outbox::acknowledge(std::size_t server, std::uint64_t id) {
    const auto& entries = spool_.entries();
    const auto at = std::find_if(entries.rbegin(), entries.rend(), [&](const spool::Entry& entry) {
        return entry.id == id;
    });
    const bool on_disk = at != entries.rend() && at->on_disk;
    spool_.acknowledge(server, id);
    if (on_disk && !file_.append_acknowledged(id, servers_[server])) rewrite();
    // Nothing waits any more: no reason to keep a file of history.
    const auto is_on_disk = [](const spool::Entry& entry) { return entry.on_disk; };
    if (file_.size_bytes() > 0 && std::none_of(entries.begin(), entries.end(), is_on_disk))
        rewrite();
}

std::size_t Outbox::drop_backlog() {
    const auto before = spool_.bytes();
    spool_.drop_backlog();
    rewrite();
    return before - spool_.bytes();
}

void Outbox::save() {
    write(spool_.to_write(true));
}

SpoolFile::Moment Outbox::moment() const {
    return {clocks_.monotonic(), clocks_.wall_ms(), machine_start_};
}

SpoolFile::Kept Outbox::kept(const spool::Entry& entry) const {
    SpoolFile::Kept out;
    out.id = entry.id;
    out.measured = entry.measured;
    out.text = entry.text;
    for (std::size_t server = 0; server < servers_.size(); ++server)
        if ((entry.owed >> server & 1) != 0) out.servers.push_back(servers_[server]);
    return out;
}

void Outbox::restore() {
    auto loaded = file_.load(moment());
    for (auto& entry : loaded.entries) {
        std::uint64_t owed = 0;
        for (const auto& name : entry.servers) {
            const auto at = std::find(servers_.begin(), servers_.end(), name);
            if (at != servers_.end()) owed |= std::uint64_t{1} << (at - servers_.begin());
        }
        spool_.restore(std::move(entry.text), entry.measured, owed);
    }
    spool_.trim(clocks_.monotonic());
    if (!loaded.entries.empty() || loaded.damaged > 0) {
        log::event(
            loaded.damaged > 0 ? Level::warning : Level::info,
            "spool_restored",
            {{"entries", spool_.size()}, {"damaged", loaded.damaged}}
        );
        for (auto* entry : spool_.to_write(true)) entry->on_disk = true;
        rewrite();
    }
}

void Outbox::write(const std::vector<spool::Entry*>& entries) {
    const auto now = moment();
    bool whole = true;
    for (auto* entry : entries) {
        entry->on_disk = true;
        whole = whole && file_.append(kept(*entry), now);
    }
    if (!whole) rewrite();
}

void Outbox::rewrite() {
    std::vector<SpoolFile::Kept> out;
    for (const auto& entry : spool_.entries())
        if (entry.on_disk) out.push_back(kept(entry));
    // A disk that is full or broken must not stop the reports: what is in memory is still sent.
    std::uint64_t held_back = 0;
    if (!file_.rewrite(out, moment()) &&
        not_written_.allow(log::Throttle::Time::clock::now(), held_back))
        log::event(Level::warning, "spool_not_written", {{"held_back", held_back}});
}

}  // namespace twinsite::monitor::report
