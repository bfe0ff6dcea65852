// SPDX-License-Identifier: Apache-2.0
// A packet as a server gets it: header, question, records, EDNS options, client subnet.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error/check.hpp"
#include "wire/dns/query.hpp"
#include "wire/dns/reader.hpp"

using namespace twinsite::wire::dns;

namespace {

void check_subnet(const ClientSubnet& subnet) {
    BASE_CHECK(subnet.data.size() >= 4 && subnet.data.size() <= 20);
    const auto address = subnet.address();
    BASE_CHECK(subnet.source_length() <= 128);
    BASE_CHECK(subnet.family() != 1 || address.size_bytes() == 4);
    std::vector<std::uint8_t> opt(opt_bytes(subnet));
    write_opt(opt.data(), 1232, 0, false, subnet, 24);
    Edns edns;
    opt[15 + 3] = 0;
    BASE_CHECK(!decode_options(std::span(opt).subspan(kOptBytes), edns).has_error());
    BASE_CHECK(edns.subnet.address() == address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> packet(data, size);
    Query query;
    const QueryForm form = decode_query(packet, query);
    if (form == QueryForm::good) {
        BASE_CHECK(kHeaderBytes + query.question_bytes() <= size);
        std::size_t offset = kHeaderBytes;
        BASE_CHECK(decode_name(packet, offset).value().size_bytes() == query.name_bytes);
        if (!query.edns.subnet.data.empty()) check_subnet(query.edns.subnet);
    }
    Reader reader(packet, kHeaderBytes);
    while (reader.remaining() > 0) {
        const std::size_t before = reader.offset();
        read_record(reader);
        BASE_CHECK(reader.failed() || reader.offset() > before);
    }
    Edns edns;
    if (!decode_options(packet, edns).has_error() && !edns.subnet.data.empty())
        check_subnet(edns.subnet);
    return 0;
}
