// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/shelf.hpp"

#include <algorithm>

#include "base/log/log.hpp"
#include "gslb/transfer/serial.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace dns = wire::dns;
namespace log = base::log;
using dns::Name;
using Reply = server::TransferSeam::Reply;

constexpr std::uint16_t kFormErr = 1;
constexpr std::uint16_t kServFail = 2;
constexpr std::uint16_t kRefused = 5;
constexpr std::uint16_t kNotAuth = 9;  // RFC 8945 section 5.2, RFC 5936 section 2.2.1
/// Peers whose last transfer is remembered, for each zone.
constexpr std::size_t kMostPeers = 64;

std::uint64_t wall_seconds() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<seconds>(system_clock::now().time_since_epoch()).count()
    );
}

bool same_key(const KeyPointer& wanted, const KeyPointer& shown) {
    if (!wanted || !shown) return !wanted && !shown;
    return wanted->name == shown->name;
}

bool is_allowed(
    const std::vector<AccessRule>& rules, const base::text::IpAddress& peer, const KeyPointer& key
) {
    return std::any_of(rules.begin(), rules.end(), [&](const AccessRule& rule) {
        return same_key(rule.key, key) && (!rule.prefix || rule.prefix->contains(peer));
    });
}

std::unique_ptr<Reply> one(std::vector<std::uint8_t> message) {
    return std::make_unique<OneMessage>(std::move(message));
}

}  // namespace

/// A message on its way through handle().
struct Shelf::Asked {
    std::vector<std::uint8_t> message;  ///< without TSIG
    Request request;
    KeyPointer key;  ///< that signed it; null: unsigned
    std::optional<TsigSession> session;
};

/// Counts a stream as long as it lives.
struct Shelf::Live {
    explicit Live(Shelf& owner) : shelf(owner) {}
    ~Live() {
        const std::lock_guard lock(shelf.mutex_);
        --shelf.streams_;
    }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;
    Shelf& shelf;
};

void Shelf::set(std::vector<KeyPointer> keys, std::vector<std::shared_ptr<const Offer>> offers) {
    std::unordered_map<Name, std::shared_ptr<const Offer>> table;
    for (auto& offer : offers) table.emplace(offer->settings.origin, std::move(offer));
    const std::lock_guard lock(mutex_);
    keys_ = std::move(keys);
    offers_.swap(table);
    std::erase_if(sent_, [&](const auto& entry) { return !offers_.contains(entry.first); });
}

std::shared_ptr<const Offer> Shelf::find(const Name& origin) const {
    const std::lock_guard lock(mutex_);
    const auto found = offers_.find(origin);
    return found == offers_.end() ? nullptr : found->second;
}

std::map<std::string, Sent> Shelf::sent(const Name& origin) const {
    const std::lock_guard lock(mutex_);
    const auto found = sent_.find(origin);
    return found == sent_.end() ? std::map<std::string, Sent>() : found->second;
}

Shelf::Counts Shelf::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

KeyPointer Shelf::find_key(const Name& name) const {
    const std::lock_guard lock(mutex_);
    for (const auto& key : keys_)
        if (key->name == name) return key;
    return nullptr;
}

void Shelf::note(const Name& origin, const std::string& peer, Sent sent) {
    const std::lock_guard lock(mutex_);
    auto& peers = sent_[origin];
    if (peers.size() >= kMostPeers && !peers.contains(peer)) peers.erase(peers.begin());
    peers[peer] = std::move(sent);
}

std::unique_ptr<Reply> Shelf::handle(const Question& question, const Answer& answer) {
    Asked asked;
    Tsig tsig;
    switch (read_tsig(question.message, tsig)) {
        case TsigForm::absent:
            asked.message.assign(question.message.begin(), question.message.end());
            return dispatch(question, answer, asked);
        case TsigForm::malformed: {
            const auto request = read_request(question.message);
            if (!request) return nullptr;
            return one(make_reply(question.message, *request, kFormErr));
        }
        case TsigForm::good:
            break;
    }
    asked.message = without_tsig(question.message, tsig);
    asked.key = find_key(tsig.key);
    auto error = TsigError::bad_key;
    if (asked.key) {
        asked.session.emplace(*asked.key);
        error = asked.session->verify(question.message, wall_seconds());
    }
    if (error == TsigError::none) return dispatch(question, answer, asked);

    // RFC 8945 section 5.2: without a MAC, but for a time that is wrong.
    const auto request = read_request(asked.message);
    if (!request) return nullptr;
    {
        const std::lock_guard lock(mutex_);
        ++counts_.refused;
    }
    log::event(
        log::Level::warning,
        "tsig_refused",
        {{"peer", to_string(question.peer)},
         {"zone", request->name.to_string()},
         {"key", tsig.key.to_string()},
         {"error", to_string(error)}}
    );
    auto out = make_reply(asked.message, *request, kNotAuth);
    std::size_t size = out.size();
    out.resize(size + 700);
    const bool appended = error == TsigError::bad_time
                              ? asked.session->sign(out, size, wall_seconds(), error)
                              : append_tsig_error(out, size, tsig, error, wall_seconds());
    if (!appended) return nullptr;
    out.resize(size);
    return one(std::move(out));
}

std::unique_ptr<Reply> Shelf::dispatch(
    const Question& question, const Answer& answer, Asked& asked
) {
    const auto request = read_request(asked.message);
    const bool ordinary = !request || !(request->is_notify() || request->type == dns::type::axfr ||
                                        request->type == dns::type::ixfr);
    if (!ordinary) {
        asked.request = *request;
        return request->is_notify() ? take_notify(question, asked) : transfer(question, asked);
    }
    const bool udp = question.transport == Transport::udp;
    const std::size_t reserved = asked.session ? asked.session->room_bytes() : 0;
    std::size_t room = udp ? question.udp_room_bytes : dns::kMaxMessageBytes;
    room = std::max(room, reserved + dns::kMaxUdpWithoutEdns) - reserved;
    std::vector<std::uint8_t> out(room);
    std::size_t size = answer(asked.message, out);
    if (size == 0) return nullptr;
    out.resize(size + reserved);
    if (asked.session && !asked.session->sign(out, size, wall_seconds())) return nullptr;
    out.resize(size);
    return one(std::move(out));
}

std::unique_ptr<Reply> Shelf::reply(Asked& asked, std::uint16_t rcode, std::uint16_t flags) {
    auto out = make_reply(asked.message, asked.request, rcode, flags);
    if (asked.session) {
        std::size_t size = out.size();
        out.resize(size + asked.session->room_bytes());
        if (!asked.session->sign(out, size, wall_seconds())) return nullptr;
        out.resize(size);
    }
    return one(std::move(out));
}

std::unique_ptr<Reply> Shelf::refuse(
    const Question& question, Asked& asked, std::uint16_t rcode, const char* why
) {
    {
        const std::lock_guard lock(mutex_);
        ++counts_.refused;
    }
    log::event(
        log::Level::warning,
        "transfer_refused",
        {{"peer", to_string(question.peer)},
         {"zone", asked.request.name.to_string()},
         {"key", asked.key ? asked.key->name.to_string() : ""},
         {"what", asked.request.is_notify() ? "NOTIFY" : dns::type_to_string(asked.request.type)},
         {"cause", why}}
    );
    return reply(asked, rcode);
}

std::unique_ptr<Reply> Shelf::take_notify(const Question& question, Asked& asked) {
    const auto offer = find(asked.request.name);
    if (!offer || offer->settings.primaries.empty())
        return refuse(question, asked, kNotAuth, "not a zone with primaries");
    const auto& primaries = offer->settings.primaries;
    const bool known = std::any_of(primaries.begin(), primaries.end(), [&](const Peer& primary) {
        return primary.address.address == question.peer.address && same_key(primary.key, asked.key);
    });
    if (!known)
        return refuse(question, asked, kRefused, "not a primary of the zone, or another key");
    {
        const std::lock_guard lock(mutex_);
        ++counts_.notified;
    }
    notified_(asked.request.name, asked.request.serial);
    return reply(asked, 0, dns::flag::aa);
}

std::unique_ptr<Reply> Shelf::transfer(const Question& question, Asked& asked) {
    const auto offer = find(asked.request.name);
    if (asked.request.klass != dns::kClassIn || !offer)
        return refuse(question, asked, kNotAuth, "no such zone");
    if (!is_allowed(offer->settings.allow, question.peer.address, asked.key))
        return refuse(question, asked, kRefused, "no rule of 'transfer.allow' fits");
    const bool incremental = asked.request.type == dns::type::ixfr;
    if (incremental && !asked.request.serial)
        return refuse(question, asked, kFormErr, "IXFR without the SOA that is there");
    if (!offer->settings.served) return reply(asked, kServFail);
    {
        const std::lock_guard lock(mutex_);
        if (streams_ >= kMostStreams) return nullptr;
        ++streams_;
    }
    return stream(question, asked, offer);
}

std::unique_ptr<Reply> Shelf::stream(
    const Question& question, Asked& asked, const std::shared_ptr<const Offer>& offer
) {
    auto live = std::make_shared<Live>(*this);
    const auto& zone = offer->settings.served;
    std::unique_ptr<RecordSource> records;
    Sent sent{"AXFR", zone->serial, std::chrono::steady_clock::now(), false};
    if (asked.request.type == dns::type::ixfr) {
        const bool behind = is_newer(zone->serial, *asked.request.serial);
        auto journal = behind ? journal_since(offer->journal, *asked.request.serial) : Journal();
        if (!behind || question.transport == Transport::udp) {
            // Over UDP: who is behind asks again over TCP (RFC 1995 section 2).
            sent.kind = "up to date";
            records = only_soa(zone);
        } else if (!journal.empty()) {
            sent.kind = "IXFR";
            records = differences(zone, std::move(journal));
        }
    }
    if (!records) records = whole_zone(zone);
    const auto finished = [this, live, sent, origin = offer->settings.origin, peer = question.peer](
                              bool whole
                          ) mutable {
        sent.whole = whole;
        {
            const std::lock_guard lock(mutex_);
            auto& count = !whole                ? counts_.broken
                          : sent.kind == "AXFR" ? counts_.whole
                          : sent.kind == "IXFR" ? counts_.incremental
                                                : counts_.up_to_date;
            ++count;
        }
        const std::vector<log::Field> fields{
            {"zone", origin.to_string()},
            {"peer", to_string(peer)},
            {"kind", sent.kind},
            {"serial", sent.serial}
        };
        if (whole)
            log::event(log::Level::info, "transfer_sent", fields);
        else
            log::event(log::Level::warning, "transfer_broken", fields);
        if (sent.kind != "up to date") note(origin, to_string(peer.address), std::move(sent));
    };
    return std::make_unique<TransferStream>(
        TransferQuestion{asked.request.id, asked.request.name, asked.request.type},
        std::move(records),
        std::move(asked.session),
        finished
    );
}

}  // namespace twinsite::gslb::transfer
