// SPDX-License-Identifier: Apache-2.0
// A packet as a server gets it: header, question, records, EDNS options, client subnet.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error/check.hpp"
#include "wire/dns/cookie.hpp"
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

void check_cookie(std::span<const std::uint8_t> cookie) {
    BASE_CHECK(cookie.size() == 8 || (cookie.size() >= 16 && cookie.size() <= 40));
    // (Not that a made-up cookie is refused: a fuzzer reads the hash out of the comparison.)
    static const CookieSecrets secrets{{1, 2, 3}, CookieSecret{4, 5, 6}};
    std::array<std::uint8_t, kFullCookieBytes> ours;
    std::copy_n(cookie.begin(), kClientCookieBytes, ours.begin());
    const twinsite::base::text::IpAddress address;
    make_server_cookie(secrets.current, ours.data(), address, 100, ours.data() + 8);
    BASE_CHECK(is_valid_cookie(secrets, ours, address, 100));
    is_valid_cookie(secrets, cookie, address, 100);
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
        if (!query.edns.cookie.empty()) check_cookie(query.edns.cookie);
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
