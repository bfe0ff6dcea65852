// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gslb/server/transfer_seam.hpp"
#include "gslb/transfer/difference.hpp"
#include "gslb/transfer/tsig.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::transfer {

using Journal = std::vector<std::shared_ptr<const Difference>>;

/// The records of an outgoing transfer, in their order. Holds what it reads from.
class RecordSource {
public:
    RecordSource() = default;
    virtual ~RecordSource() = default;
    RecordSource(const RecordSource&) = delete;
    RecordSource& operator=(const RecordSource&) = delete;
    /// False: there are no more.
    virtual bool next(RecordView& out) = 0;
};

/// AXFR (RFC 5936 section 2.2): SOA, all the rest, SOA. The zone has a SOA.
std::unique_ptr<RecordSource> whole_zone(std::shared_ptr<const zone::ZoneData> zone);
/// The SOA alone: "you have the newest", or "ask again over TCP".
std::unique_ptr<RecordSource> only_soa(std::shared_ptr<const zone::ZoneData> zone);
/// IXFR (RFC 1995 section 4). `journal` is not empty.
std::unique_ptr<RecordSource> differences(
    std::shared_ptr<const zone::ZoneData> zone, Journal journal
);
/// The last part of `journal` that leads from `serial` to the newest; empty when there is none.
Journal journal_since(const Journal& journal, std::uint32_t serial);

/// The question that a transfer answers.
struct TransferQuestion {
    std::uint16_t id = 0;
    wire::dns::Name origin;
    std::uint16_t type = 0;
};

/// Messages of some 16 KiB, so that every name in them can be pointed to and a long transfer
/// leaves room for other connections; each is signed when there is a session.
class TransferStream final : public server::TransferSeam::Reply {
public:
    using Finished = std::function<void(bool whole)>;  ///< on any thread, once

    TransferStream(
        TransferQuestion question,
        std::unique_ptr<RecordSource> records,
        std::optional<TsigSession> session,
        Finished finished
    );
    ~TransferStream() override;
    std::size_t next(std::span<std::uint8_t> room) override;
    bool failed() const override { return failed_; }

private:
    const TransferQuestion question_;
    std::unique_ptr<RecordSource> records_;
    std::optional<TsigSession> session_;
    Finished finished_;
    RecordView waiting_;  ///< the next record, when it did not fit
    bool has_waiting_ = false;
    bool over_ = false;
    bool failed_ = false;
};

/// One message, ready made.
class OneMessage final : public server::TransferSeam::Reply {
public:
    explicit OneMessage(std::vector<std::uint8_t> message) : message_(std::move(message)) {}
    std::size_t next(std::span<std::uint8_t> room) override;

private:
    std::vector<std::uint8_t> message_;
};

}  // namespace twinsite::gslb::transfer
