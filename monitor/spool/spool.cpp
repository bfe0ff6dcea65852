// SPDX-License-Identifier: Apache-2.0
#include "monitor/spool/spool.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"

namespace twinsite::monitor::spool {
namespace {

std::uint64_t bit(std::size_t server) {
    return std::uint64_t{1} << server;
}

}  // namespace

Spool::Spool(Limits limits, std::size_t servers)
    : limits_(limits), everyone_(~std::uint64_t{0}), dropped_(servers) {
    BASE_CHECK(servers >= 1 && servers <= kMaxServers);
    if (servers < kMaxServers) everyone_ = bit(servers) - 1;
}

std::uint64_t Spool::add(std::string text, Time measured) {
    restore(std::move(text), measured, everyone_);
    live_id_ = entries_.back().id;
    return live_id_;
}

void Spool::restore(std::string text, Time measured, std::uint64_t owed) {
    owed &= everyone_;
    if (owed == 0) return;
    bytes_ += text.size();
    entries_.push_back({next_id_++, measured, std::move(text), owed, false});
    while (bytes_ > limits_.bytes && entries_.size() > 1) drop_oldest();
}

std::optional<Spool::Next> Spool::next(std::size_t server) const {
    const auto mask = bit(server);
    for (auto at = entries_.rbegin(); at != entries_.rend(); ++at)
        if ((at->owed & mask) != 0) return Next{&*at, at->id == live_id_};
    return std::nullopt;
}

void Spool::acknowledge(std::size_t server, std::uint64_t id) {
    const auto at = std::lower_bound(
        entries_.begin(),
        entries_.end(),
        id,
        [](const Entry& entry, std::uint64_t wanted) { return entry.id < wanted; }
    );
    if (at == entries_.end() || at->id != id) return;
    at->owed &= ~bit(server);
    if (at->owed != 0) return;
    bytes_ -= at->text.size();
    entries_.erase(at);
}

std::size_t Spool::backlog(std::size_t server) const {
    const auto mask = bit(server);
    return static_cast<std::size_t>(std::count_if(
        entries_.begin(),
        entries_.end(),
        [&](const Entry& entry) { return (entry.owed & mask) != 0 && entry.id != live_id_; }
    ));
}

void Spool::trim(Time now) {
    while (!entries_.empty() && entries_.front().id != live_id_ &&
           now - entries_.front().measured > limits_.age)
        drop_oldest();
}

void Spool::drop_backlog() {
    while (!entries_.empty() && entries_.front().id != live_id_) drop_oldest();
}

std::vector<Entry*> Spool::to_write(bool all) {
    std::vector<Entry*> out;
    for (auto& entry : entries_) {
        if (!all && entry.id + limits_.live > live_id_) break;
        if (!entry.on_disk) out.push_back(&entry);
    }
    return out;
}

void Spool::drop_oldest() {
    const auto& oldest = entries_.front();
    for (std::size_t server = 0; server < dropped_.size(); ++server)
        if ((oldest.owed & bit(server)) != 0) ++dropped_[server];
    bytes_ -= oldest.text.size();
    entries_.pop_front();
}

}  // namespace twinsite::monitor::spool
