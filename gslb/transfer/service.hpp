// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gslb/server/transfer_seam.hpp"
#include "gslb/transfer/copies.hpp"
#include "gslb/transfer/settings.hpp"
#include "gslb/transfer/shelf.hpp"

namespace twinsite::gslb::transfer {

/// One other name server of a zone, as the operator sees it.
struct SecondaryView {
    std::string address;
    bool notifying = false;            ///< a NOTIFY is on its way
    std::optional<bool> acknowledged;  ///< the last NOTIFY; none: none was sent
    std::uint32_t notified_serial = 0;
    std::string transfer;  ///< "AXFR", "IXFR"; "": none since the start
    std::uint32_t transferred_serial = 0;
    bool transferred_whole = false;
    std::optional<std::chrono::seconds> transfer_age;
};

struct ZoneView {
    std::string zone;
    bool secondary = false;
    /// "loaded" (from its file), "transferred", "stale", "expired", "empty".
    std::string state;
    std::optional<std::uint32_t> serial;  ///< as transferred out; none: not known here
    std::size_t records = 0;
    std::vector<std::string> primaries;
    std::string error;                              ///< of the last asking; "": it was good
    std::optional<std::chrono::seconds> checked;    ///< age of the last confirmation by a primary
    std::optional<std::chrono::seconds> stale_for;  ///< updates have stopped since
    std::optional<std::chrono::seconds> next_refresh;
    std::optional<std::chrono::seconds> expires;
    std::string transfer;       ///< the last one in: "AXFR", "IXFR"; "": none since the start
    std::string transfer_from;  ///< the primary
    std::optional<std::chrono::seconds> transfer_age;
    std::size_t journal = 0;  ///< differences kept
    std::vector<SecondaryView> secondaries;
};

struct InCounts {
    std::uint64_t checks = 0;  ///< a primary had nothing newer
    std::uint64_t whole = 0;
    std::uint64_t incremental = 0;
    std::uint64_t failed = 0;  ///< no primary could be used
    std::uint64_t notify_sent = 0;
    std::uint64_t notify_failed = 0;  ///< nobody answered, or with an error
};

/// Zones from and to other name servers. One thread of its own does the asking, the checking and
/// the disk, so that neither a large zone nor a silent primary holds anything up.
class Service {
public:
    /// `changed` is called on the service's thread when a zone of a primary is another one than
    /// before, or has expired: whoever builds the answers should ask `copies` again, and adopt().
    explicit Service(std::shared_ptr<Copies> copies, std::function<void()> changed);
    ~Service();  ///< stop()
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Any thread.
    /// For the server; it must not be called any more when this is gone.
    std::shared_ptr<server::TransferSeam> seam();
    /// What is answered from now on. New serials are told to secondaries.
    void adopt(Settings settings);
    /// Takes the whole zone from a primary, whatever its serial is. False: no such zone with
    /// primaries.
    bool retransfer(const wire::dns::Name& origin);
    /// Tells the secondaries. False: no such zone, or nobody to tell.
    bool notify(const wire::dns::Name& origin);
    /// By name.
    std::vector<ZoneView> views() const;
    InCounts in_counts() const;
    Shelf::Counts out_counts() const;
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::transfer
