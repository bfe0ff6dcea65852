// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/client_table.hpp"

namespace twinsite::slb::proxy {

ClientId ClientTable::next_id() {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint16_t>(entries_.size()));
        entries_.emplace_back();
    }
    const auto index = free_.back();
    return ClientId{entries_[index].generation} << 16 | index;
}

void ClientTable::add(std::unique_ptr<ClientLink> client) {
    entries_[free_.back()].link = std::move(client);
    free_.pop_back();
    ++size_;
}

void ClientTable::remove_closed(std::vector<std::unique_ptr<Watcher>>& gone) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        auto& entry = entries_[i];
        if (!entry.link || entry.link->connected()) continue;
        gone.push_back(std::move(entry.link));
        ++entry.generation;
        free_.push_back(static_cast<std::uint16_t>(i));
        --size_;
    }
}

}  // namespace twinsite::slb::proxy
