// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/outgoing.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "wire/dns/message.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace dns = wire::dns;
using zone::ZoneData;

constexpr std::size_t kMessageBytes = 16'000;
constexpr std::uint16_t kOwnerIsOrigin = 0xC000 | dns::kHeaderBytes;

std::uint64_t wall_seconds() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<seconds>(system_clock::now().time_since_epoch()).count()
    );
}

class WholeZone final : public RecordSource {
public:
    explicit WholeZone(std::shared_ptr<const ZoneData> zone)
        : zone_(std::move(zone)), soa_(find_soa(*zone_)) {}

    bool next(RecordView& out) override {
        if (!begun_) {
            begun_ = true;
            out = view(*soa_, 0);
            return true;
        }
        while (set_ < zone_->rrsets.size()) {
            const auto& set = zone_->rrsets[set_];
            if (set.type != dns::type::soa && record_ < set.rdatas.size()) {
                out = view(set, record_++);
                return true;
            }
            ++set_;
            record_ = 0;
        }
        if (ended_) return false;
        ended_ = true;
        out = view(*soa_, 0);
        return true;
    }

private:
    std::shared_ptr<const ZoneData> zone_;
    const zone::RRset* soa_;
    std::size_t set_ = 0;
    std::size_t record_ = 0;
    bool begun_ = false;
    bool ended_ = false;
};

class OnlySoa final : public RecordSource {
public:
    explicit OnlySoa(std::shared_ptr<const ZoneData> zone) : zone_(std::move(zone)) {}
    bool next(RecordView& out) override {
        if (given_) return false;
        given_ = true;
        out = view(*find_soa(*zone_), 0);
        return true;
    }

private:
    std::shared_ptr<const ZoneData> zone_;
    bool given_ = false;
};

class Differences final : public RecordSource {
public:
    Differences(std::shared_ptr<const ZoneData> zone, Journal journal)
        : soa_(zone), last_(std::move(zone)), journal_(std::move(journal)) {}

    bool next(RecordView& out) override {
        if (soa_.next(out)) return true;
        for (; difference_ < journal_.size(); ++difference_) {
            const auto& removed = journal_[difference_]->removed;
            const auto& added = journal_[difference_]->added;
            const std::size_t at = record_++;
            if (at < removed.size()) return out = view(removed[at]), true;
            if (at - removed.size() < added.size())
                return out = view(added[at - removed.size()]), true;
            record_ = 0;
        }
        return last_.next(out);
    }

private:
    OnlySoa soa_;
    OnlySoa last_;
    Journal journal_;
    std::size_t difference_ = 0;
    std::size_t record_ = 0;
};

/// Writes records and remembers what the owner before was.
class MessageWriter {
public:
    MessageWriter(std::span<std::uint8_t> room, const TransferQuestion& question)
        : to_(room), room_(room), origin_(question.origin) {
        to_.u16(question.id);
        to_.u16(dns::flag::qr | dns::flag::aa);
        to_.u16(1);
        to_.u16(0);
        to_.u32(0);
        to_.name(question.origin);
        to_.u16(question.type);
        to_.u16(dns::kClassIn);
    }

    /// False: no room; nothing was written.
    bool add(const RecordView& record) {
        const std::size_t most = record.owner->size_bytes() + 10 + record.rdata.size();
        if (to_.failed() || to_.size() + most > room_.size()) return false;
        write_owner(*record.owner);
        to_.u16(record.type);
        to_.u16(dns::kClassIn);
        to_.u32(record.ttl);
        to_.u16(static_cast<std::uint16_t>(record.rdata.size()));
        to_.bytes(record.rdata);
        to_.patch16(6, ++count_);
        return true;
    }
    bool is_full() const { return to_.size() >= kMessageBytes || count_ == 0xffff; }
    bool is_empty() const { return count_ == 0; }
    std::size_t size() const { return to_.size(); }

private:
    void write_owner(const dns::Name& owner) {
        if (owner == origin_) return to_.u16(kOwnerIsOrigin);
        if (last_ != nullptr && (last_ == &owner || *last_ == owner))
            return to_.u16(static_cast<std::uint16_t>(0xC000 | last_at_));
        last_ = &owner;
        last_at_ = to_.size();
        const auto wire = owner.wire();
        to_.bytes(wire.first(wire.size() - origin_.size_bytes()));
        to_.u16(kOwnerIsOrigin);
        // Beyond 0x3fff nothing can point to it; messages end before, but for huge records.
        if (last_at_ > 0x3fff) last_ = nullptr;
    }

    dns::Writer to_;
    std::span<std::uint8_t> room_;
    const dns::Name& origin_;
    const dns::Name* last_ = nullptr;
    std::size_t last_at_ = 0;
    std::uint16_t count_ = 0;
};

}  // namespace

std::unique_ptr<RecordSource> whole_zone(std::shared_ptr<const ZoneData> zone) {
    return std::make_unique<WholeZone>(std::move(zone));
}

std::unique_ptr<RecordSource> only_soa(std::shared_ptr<const ZoneData> zone) {
    return std::make_unique<OnlySoa>(std::move(zone));
}

std::unique_ptr<RecordSource> differences(std::shared_ptr<const ZoneData> zone, Journal journal) {
    return std::make_unique<Differences>(std::move(zone), std::move(journal));
}

Journal journal_since(const Journal& journal, std::uint32_t serial) {
    const auto begins = [serial](const auto& difference) { return difference->from == serial; };
    // The last one: serials may come round again.
    const auto found = std::find_if(journal.rbegin(), journal.rend(), begins);
    if (found == journal.rend()) return {};
    return {found.base() - 1, journal.end()};
}

TransferStream::TransferStream(
    TransferQuestion question,
    std::unique_ptr<RecordSource> records,
    std::optional<TsigSession> session,
    Finished finished
)
    : question_(std::move(question)),
      records_(std::move(records)),
      session_(std::move(session)),
      finished_(std::move(finished)) {}

TransferStream::~TransferStream() {
    if (finished_) finished_(over_ && !failed_);
}

std::size_t TransferStream::next(std::span<std::uint8_t> room) {
    if (over_) return 0;
    const std::size_t reserved = session_ ? session_->room_bytes() : 0;
    constexpr std::size_t kLeastRoom = 300;
    if (room.size() < reserved + kLeastRoom) return failed_ = over_ = true, 0;
    MessageWriter message(room.first(room.size() - reserved), question_);
    for (;;) {
        if (!has_waiting_) has_waiting_ = records_->next(waiting_);
        if (!has_waiting_) {
            over_ = true;
            break;
        }
        if (message.is_full() || !message.add(waiting_)) break;
        has_waiting_ = false;
    }
    if (message.is_empty()) {
        // A record that no message can hold; or the end came with the last message.
        failed_ = !over_;
        over_ = true;
        return 0;
    }
    std::size_t size = message.size();
    if (session_ && !session_->sign(room, size, wall_seconds())) return failed_ = over_ = true, 0;
    return size;
}

std::size_t OneMessage::next(std::span<std::uint8_t> room) {
    const std::size_t size = message_.size();
    if (size == 0 || size > room.size()) return 0;
    std::memcpy(room.data(), message_.data(), size);
    message_.clear();
    return size;
}

}  // namespace twinsite::gslb::transfer
