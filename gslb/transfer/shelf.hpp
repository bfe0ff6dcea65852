// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gslb/server/transfer_seam.hpp"
#include "gslb/transfer/outgoing.hpp"
#include "gslb/transfer/request.hpp"
#include "gslb/transfer/settings.hpp"

namespace twinsite::gslb::transfer {

/// One zone as others may have it: what is served now, and the way there from earlier versions.
struct Offer {
    ZoneSettings settings;
    Journal journal;  ///< leads to settings.served; may be empty
};

/// Something that went out to a peer.
struct Sent {
    std::string kind;  ///< "AXFR", "IXFR", "up to date"
    std::uint32_t serial = 0;
    std::chrono::steady_clock::time_point at;
    bool whole = false;  ///< to its end
};

/// Answers what comes through the seam: transfers, NOTIFY, signed questions. Any thread.
class Shelf final : public server::TransferSeam {
public:
    /// A NOTIFY of a primary that may send it. Called on a server thread.
    using Notified = std::function<void(const wire::dns::Name&, std::optional<std::uint32_t>)>;
    static constexpr unsigned kMostStreams = 100;

    explicit Shelf(Notified notified) : notified_(std::move(notified)) {}

    std::unique_ptr<Reply> handle(const Question& question, const Answer& answer) override;

    void set(std::vector<KeyPointer> keys, std::vector<std::shared_ptr<const Offer>> offers);
    std::shared_ptr<const Offer> find(const wire::dns::Name& origin) const;
    /// By address, the last transfer to each.
    std::map<std::string, Sent> sent(const wire::dns::Name& origin) const;

    struct Counts {
        std::uint64_t whole = 0;  ///< AXFR, and IXFR answered with the whole zone
        std::uint64_t incremental = 0;
        std::uint64_t up_to_date = 0;
        std::uint64_t refused = 0;   ///< no rule fits, unknown zone, TSIG wrong
        std::uint64_t broken = 0;    ///< the client went away
        std::uint64_t notified = 0;  ///< NOTIFY taken
    };
    Counts counts() const;

private:
    struct Asked;
    struct Live;
    std::unique_ptr<Reply> dispatch(const Question& question, const Answer& answer, Asked& asked);
    std::unique_ptr<Reply> take_notify(const Question& question, Asked& asked);
    std::unique_ptr<Reply> transfer(const Question& question, Asked& asked);
    std::unique_ptr<Reply> stream(
        const Question& question, Asked& asked, const std::shared_ptr<const Offer>& offer
    );
    std::unique_ptr<Reply> reply(Asked& asked, std::uint16_t rcode, std::uint16_t flags = 0);
    std::unique_ptr<Reply> refuse(
        const Question& question, Asked& asked, std::uint16_t rcode, const char* why
    );
    KeyPointer find_key(const wire::dns::Name& name) const;
    void note(const wire::dns::Name& origin, const std::string& peer, Sent sent);

    const Notified notified_;
    mutable std::mutex mutex_;  // for all below
    std::vector<KeyPointer> keys_;
    std::unordered_map<wire::dns::Name, std::shared_ptr<const Offer>> offers_;
    std::unordered_map<wire::dns::Name, std::map<std::string, Sent>> sent_;
    Counts counts_;
    unsigned streams_ = 0;
};

}  // namespace twinsite::gslb::transfer
