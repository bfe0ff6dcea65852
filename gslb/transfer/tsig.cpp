// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/tsig.hpp"

#include <algorithm>
#include <array>

#include "base/crypto/secret.hpp"
#include "base/text/text.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::gslb::transfer {

namespace dns = wire::dns;
using base::crypto::MacAlgorithm;
using Bytes = std::span<const std::uint8_t>;

namespace {

constexpr std::size_t kMaxUnsigned = 99;
constexpr std::size_t kAdditionalCount = 10;  // in the header

struct Algorithm {
    std::string_view name;
    MacAlgorithm algorithm;
};
constexpr std::array<Algorithm, 4> kAlgorithms{
    {{"hmac-sha256", MacAlgorithm::hmac_sha256},
     {"hmac-sha384", MacAlgorithm::hmac_sha384},
     {"hmac-sha512", MacAlgorithm::hmac_sha512},
     {"hmac-sha1", MacAlgorithm::hmac_sha1}}
};

dns::Name algorithm_name(MacAlgorithm algorithm) {
    for (const auto& known : kAlgorithms)
        if (known.algorithm == algorithm) return dns::parse_name(known.name).value();
    return {};
}

void write_time(dns::Writer& to, std::uint64_t seconds) {
    to.u16(static_cast<std::uint16_t>(seconds >> 32));
    to.u32(static_cast<std::uint32_t>(seconds));
}

/// The record behind the message; `size` and the count in the header grow.
bool append(std::span<std::uint8_t> room, std::size_t& size, const Tsig& tsig) {
    if (size < dns::kHeaderBytes || size > room.size()) return false;
    dns::Writer to(room.subspan(size));
    to.name(tsig.key);
    to.u16(dns::type::tsig);
    to.u16(dns::kClassAny);
    to.u32(0);
    to.u16(static_cast<std::uint16_t>(
        tsig.algorithm.size_bytes() + 16 + tsig.mac.size() + tsig.other.size()
    ));
    to.name(tsig.algorithm);
    write_time(to, tsig.time_s);
    to.u16(tsig.fudge_s);
    to.u16(static_cast<std::uint16_t>(tsig.mac.size()));
    to.bytes(tsig.mac);
    to.u16(tsig.original_id);
    to.u16(tsig.error);
    to.u16(static_cast<std::uint16_t>(tsig.other.size()));
    to.bytes(tsig.other);
    if (to.failed()) return false;
    std::uint8_t* const count = room.data() + kAdditionalCount;
    dns::store16(count, static_cast<std::uint16_t>(dns::load16(count) + 1));
    size += to.size();
    return true;
}

std::vector<std::uint8_t> our_time(std::uint64_t now_s) {
    std::vector<std::uint8_t> out(6);
    dns::Writer to(out);
    write_time(to, now_s);
    return out;
}

/// Fills `out` from the record at the reader. False: malformed.
bool read_record(dns::Reader& reader, Tsig& out) {
    const std::size_t offset = reader.offset();
    const dns::Record record = dns::read_record(reader);
    if (reader.failed() || record.klass != dns::kClassAny || record.ttl != 0) return false;
    out.offset = offset;
    out.key = record.owner;
    dns::Reader rdata(record.rdata);
    out.algorithm = rdata.name();  // never compressed (section 4.2)
    out.time_s = std::uint64_t{rdata.u16()} << 32;
    out.time_s |= rdata.u32();
    out.fudge_s = rdata.u16();
    const auto mac = rdata.bytes(rdata.u16());
    out.mac.assign(mac.begin(), mac.end());
    out.original_id = rdata.u16();
    out.error = rdata.u16();
    const auto other = rdata.bytes(rdata.u16());
    out.other.assign(other.begin(), other.end());
    return !rdata.failed() && rdata.remaining() == 0;
}

bool equal(Bytes a, Bytes b) {
    return base::crypto::same_secret(
        {reinterpret_cast<const char*>(a.data()), a.size()},
        {reinterpret_cast<const char*>(b.data()), b.size()}
    );
}

}  // namespace

std::optional<MacAlgorithm> parse_tsig_algorithm(std::string_view name) {
    for (const auto& known : kAlgorithms)
        if (base::text::equals_ignoring_case(name, known.name)) return known.algorithm;
    return std::nullopt;
}

const char* to_string(TsigError error) noexcept {
    switch (error) {
        case TsigError::none:
            return "none";
        case TsigError::bad_signature:
            return "BADSIG";
        case TsigError::bad_key:
            return "BADKEY";
        case TsigError::bad_time:
            return "BADTIME";
        case TsigError::bad_truncation:
            return "BADTRUNC";
    }
    return "unknown";
}

TsigForm read_tsig(Bytes message, Tsig& out) {
    if (message.size() < dns::kHeaderBytes) return TsigForm::absent;
    dns::Reader reader(message, 4);
    const std::size_t questions = reader.u16();
    const std::size_t answers = reader.u16();
    const std::size_t authorities = reader.u16();
    const std::size_t additionals = reader.u16();
    const std::size_t records = answers + authorities + additionals;
    for (std::size_t i = 0; i < questions && !reader.failed(); ++i) {
        reader.skip_name();
        reader.u32();
    }
    for (std::size_t i = 0; i < records && !reader.failed(); ++i) {
        dns::Reader ahead = reader;
        ahead.skip_name();
        if (ahead.u16() == dns::type::tsig && !ahead.failed()) {
            const bool last = i + 1 == records && additionals > 0;
            return last && read_record(reader, out) ? TsigForm::good : TsigForm::malformed;
        }
        ahead.u16();
        ahead.u32();
        ahead.bytes(ahead.u16());
        reader = ahead;
    }
    return TsigForm::absent;
}

std::vector<std::uint8_t> without_tsig(Bytes message, const Tsig& tsig) {
    const auto kept = message.first(tsig.offset);
    std::vector<std::uint8_t> out(kept.begin(), kept.end());
    dns::store16(out.data(), tsig.original_id);
    std::uint8_t* const count = out.data() + kAdditionalCount;
    dns::store16(count, static_cast<std::uint16_t>(dns::load16(count) - 1));
    return out;
}

bool append_tsig_error(
    std::span<std::uint8_t> room,
    std::size_t& size,
    const Tsig& request,
    TsigError error,
    std::uint64_t now_s
) {
    Tsig out;
    out.key = request.key;
    out.algorithm = request.algorithm;
    out.time_s = error == TsigError::bad_time ? request.time_s : now_s;
    out.fudge_s = TsigSession::kFudgeSeconds;
    out.original_id = request.original_id;
    out.error = static_cast<std::uint16_t>(error);
    return append(room, size, out);
}

std::size_t TsigSession::room_bytes() const {
    constexpr std::size_t kFixed = 10 + 16 + 6;  // record, rdata, our time
    return key_.name.size_bytes() + algorithm_name(key_.algorithm).size_bytes() + kFixed +
           base::crypto::mac_bytes(key_.algorithm);
}

/// Sections 4.3 and 5.3.1.
std::vector<std::uint8_t> TsigSession::mac_of(Bytes message, const Tsig& tsig) const {
    std::array<std::uint8_t, 2> previous_size{};
    dns::store16(previous_size.data(), static_cast<std::uint16_t>(previous_.size()));
    std::vector<std::uint8_t> variables(2 * dns::kMaxNameBytes + 64 + tsig.other.size());
    dns::Writer to(variables);
    const bool timers_only = done_ >= 2;
    if (!timers_only) {
        to.name(tsig.key.lowered());
        to.u16(dns::kClassAny);
        to.u32(0);
        to.name(tsig.algorithm.lowered());
    }
    write_time(to, tsig.time_s);
    to.u16(tsig.fudge_s);
    if (!timers_only) {
        to.u16(tsig.error);
        to.u16(static_cast<std::uint16_t>(tsig.other.size()));
        to.bytes(tsig.other);
    }
    variables.resize(to.size());
    const Bytes size_part = done_ == 0 ? Bytes() : Bytes(previous_size);
    return base::crypto::make_mac(
        key_.algorithm, key_.secret, {size_part, previous_, unsigned_, message, variables}
    );
}

bool TsigSession::sign(
    std::span<std::uint8_t> room, std::size_t& size, std::uint64_t now_s, TsigError error
) {
    if (size < dns::kHeaderBytes || size > room.size()) return false;
    Tsig tsig;
    tsig.key = key_.name;
    tsig.algorithm = algorithm_name(key_.algorithm);
    tsig.time_s = now_s;
    tsig.fudge_s = kFudgeSeconds;
    tsig.original_id = dns::load16(room.data());
    tsig.error = static_cast<std::uint16_t>(error);
    if (error == TsigError::bad_time) {  // section 5.2.3
        tsig.time_s = verified_time_s_;
        tsig.other = our_time(now_s);
    }
    tsig.mac = mac_of(room.first(size), tsig);
    if (!append(room, size, tsig)) return false;
    previous_ = std::move(tsig.mac);
    ++done_;
    return true;
}

TsigError TsigSession::verify(Bytes message, std::uint64_t now_s) {
    Tsig tsig;
    const TsigForm form = read_tsig(message, tsig);
    if (form == TsigForm::malformed) return TsigError::bad_signature;
    if (form == TsigForm::absent) {
        if (done_ < 2 || ++unsigned_count_ > kMaxUnsigned) return TsigError::bad_signature;
        unsigned_.insert(unsigned_.end(), message.begin(), message.end());
        return TsigError::none;
    }
    if (tsig.key != key_.name || tsig.algorithm != algorithm_name(key_.algorithm))
        return TsigError::bad_key;
    if (tsig.mac.size() != base::crypto::mac_bytes(key_.algorithm))
        return tsig.mac.empty() ? TsigError::bad_signature : TsigError::bad_truncation;
    auto mac = mac_of(without_tsig(message, tsig), tsig);
    if (!equal(mac, tsig.mac)) return TsigError::bad_signature;
    // What follows includes this MAC, also when it only says that the time is wrong.
    previous_ = std::move(mac);
    unsigned_.clear();
    unsigned_count_ = 0;
    ++done_;
    verified_time_s_ = tsig.time_s;
    const std::uint64_t apart = now_s > tsig.time_s ? now_s - tsig.time_s : tsig.time_s - now_s;
    if (apart > tsig.fudge_s) return TsigError::bad_time;
    return static_cast<TsigError>(tsig.error);
}

}  // namespace twinsite::gslb::transfer
