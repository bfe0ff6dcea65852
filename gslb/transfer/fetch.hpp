// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "gslb/transfer/settings.hpp"
#include "gslb/transfer/transfer_reader.hpp"

namespace twinsite::gslb::transfer {

struct FetchOrder {
    wire::dns::Name origin;
    Peer primary;
    std::shared_ptr<const zone::ZoneData> have;  ///< null: nothing
    bool whole = false;  ///< take the whole zone, whatever its serial is: an operator's word
};

struct Fetched {
    TransferReader::Kind kind = TransferReader::Kind::up_to_date;
    std::uint32_t serial = 0;                    ///< of the primary
    std::shared_ptr<const zone::ZoneData> zone;  ///< the new version; null: up to date
    std::vector<std::shared_ptr<const Difference>> differences;  ///< for kind differences
};

/// Asks a primary over TCP for its SOA, and for what is newer than what is here: by IXFR, and when
/// that does not work by AXFR. On failure `why` says more than the error.
boost::asio::awaitable<base::Result<Fetched>> fetch(FetchOrder order, std::string& why);

/// Sends a NOTIFY over UDP and waits for its answer, again and again: after 3 s, and each time
/// twice as long, six times in all.
struct NotifyResult {
    bool acknowledged = false;
    std::uint16_t rcode = 0;
    unsigned tries = 0;
};
boost::asio::awaitable<NotifyResult> send_notify(Peer to, zone::RRset soa);

}  // namespace twinsite::gslb::transfer
