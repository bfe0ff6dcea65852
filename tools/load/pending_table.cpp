// SPDX-License-Identifier: Apache-2.0
#include "tools/load/pending_table.hpp"

namespace twinsite::tools::load {
namespace {

/// A place is used again only when so many exist: the second answer to a request is then still
/// known as a duplicate.
constexpr std::size_t kPlacesBeforeReuse = 512;

}  // namespace

std::optional<std::uint32_t> PendingTable::add(
    Time due, std::uint32_t end_to_end, std::uint32_t session
) {
    std::size_t place = places_.size();
    if (place < kPlacesBeforeReuse || (free_.empty() && place < kMaxPending)) {
        places_.emplace_back();
    } else {
        if (free_.empty()) return std::nullopt;
        place = free_.front();
        free_.pop_front();
    }
    Request& request = places_[place];
    request.due = due;
    request.end_to_end = end_to_end;
    request.session = session;
    ++request.generation;
    request.state = State::queued;
    request.expired = false;
    ++waiting_;
    const auto id = std::uint32_t{request.generation} << 16 | static_cast<std::uint32_t>(place);
    while (!order_.empty() && !is_waiting(order_.front())) order_.pop_front();
    order_.push_back(id);
    return id;
}

PendingTable::Match PendingTable::match(std::uint32_t hop_by_hop, std::uint32_t end_to_end) const {
    const std::size_t place = hop_by_hop & 0xffff;
    if (place >= places_.size()) return Match::unknown;
    const Request& request = places_[place];
    if (request.generation != hop_by_hop >> 16 || request.end_to_end != end_to_end)
        return Match::unknown;
    if (request.state == State::sent) return Match::waiting;
    if (request.state == State::queued) return Match::unknown;
    return request.expired ? Match::late : Match::duplicate;
}

void PendingTable::release(std::uint32_t hop_by_hop, bool expired) {
    Request& request = at(hop_by_hop);
    request.state = State::free;
    request.expired = expired;
    free_.push_back(static_cast<std::uint16_t>(hop_by_hop & 0xffff));
    --waiting_;
}

}  // namespace twinsite::tools::load
