// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "slb/proxy/client_link.hpp"

namespace twinsite::slb::proxy {

/// The client links of a shard by their ClientId. An id is never given to another link while a
/// request of the old one can still be pending.
class ClientTable {
public:
    /// The id that the next `add` must be given.
    ClientId next_id();
    void add(std::unique_ptr<ClientLink> client);
    /// nullptr when that client has left.
    ClientLink* find(ClientId id) {
        const auto index = id & 0xffff;
        if (index >= entries_.size()) return nullptr;
        auto& entry = entries_[index];
        return entry.generation == id >> 16 ? entry.link.get() : nullptr;
    }
    /// Moves the links that have no transport any more to `gone`.
    void remove_closed(std::vector<std::unique_ptr<Watcher>>& gone);

    template <class Visit>
    void for_each(Visit visit) {
        for (auto& entry : entries_)
            if (entry.link) visit(*entry.link);
    }
    std::size_t size() const { return size_; }

private:
    struct Entry {
        std::unique_ptr<ClientLink> link;
        std::uint16_t generation = 0;
    };
    std::vector<Entry> entries_;
    std::vector<std::uint16_t> free_;
    std::size_t size_ = 0;
};

}  // namespace twinsite::slb::proxy
