// SPDX-License-Identifier: Apache-2.0
// Any bytes as the messages of a primary, as a signed request, and as a kept file: errors, or
// values that are sound. The first byte chooses; messages have their length in two bytes before
// them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "gslb/transfer/request.hpp"
#include "gslb/transfer/transfer_reader.hpp"
#include "gslb/transfer/tsig.hpp"
#include "gslb/transfer/zone_file.hpp"
#include "gslb/zone/rdata_form.hpp"

namespace {

using namespace twinsite;
using namespace twinsite::gslb::transfer;
using Bytes = std::span<const std::uint8_t>;

const wire::dns::Name& origin() {
    static const wire::dns::Name name = *wire::dns::parse_name("t.example");
    return name;
}

void read_transfer(Bytes rest, std::optional<std::uint32_t> have) {
    TransferReader reader({origin(), 9, have});
    while (rest.size() >= 2) {
        const std::size_t size = std::min<std::size_t>(rest[0] << 8 | rest[1], rest.size() - 2);
        const auto taken = reader.take(rest.subspan(2, size));
        rest = rest.subspan(2 + size);
        if (!taken) return;
        if (*taken == TransferReader::Progress::done) break;
    }
    for (const auto& record : reader.records()) {
        if (!record.owner.is_at_or_below(origin())) std::abort();
        if (!gslb::zone::rdata_form_problem(record.type, record.rdata).empty()) std::abort();
    }
    for (std::size_t i = 1; i < reader.differences().size(); ++i)
        if (reader.differences()[i].from != reader.differences()[i - 1].to) std::abort();
    std::string why;
    const bool good = assemble_zone(origin(), std::move(reader.records()), why).has_value();
    if (good != why.empty()) std::abort();
}

void read_signed(Bytes message) {
    Tsig tsig;
    if (read_tsig(message, tsig) == TsigForm::good) {
        const auto plain = without_tsig(message, tsig);
        if (plain.size() != tsig.offset) std::abort();
    }
    TsigSession session({origin(), {}, "secret"});
    if (session.verify(message, 1'000'000) == TsigError::none) std::abort();
    const auto request = read_request(message);
    if (request && make_reply(message, *request, 5).size() != request->question_end) std::abort();
}

void read_files(Bytes bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // A right checksum needs a right file: nothing else gets in.
    if (const auto zone = decode_zone(text))
        if (encode_zone(*zone) != text) std::abort();
    (void)decode_journal(text, origin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Bytes rest(data + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            read_transfer(rest, std::nullopt);
            break;
        case 1:
            read_transfer(rest, 3);
            break;
        case 2:
            read_signed(rest);
            break;
        default:
            read_files(rest);
            break;
    }
    return 0;
}
