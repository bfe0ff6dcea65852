// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/message.hpp"

#include <array>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::wire::dns {
namespace {

using Named = std::pair<std::uint16_t, std::string_view>;

constexpr std::array kTypes = std::to_array<Named>({
    {type::a, "A"},         {type::ns, "NS"},         {type::cname, "CNAME"},
    {type::soa, "SOA"},     {type::ptr, "PTR"},       {type::hinfo, "HINFO"},
    {type::mx, "MX"},       {type::txt, "TXT"},       {type::aaaa, "AAAA"},
    {type::srv, "SRV"},     {type::naptr, "NAPTR"},   {type::dname, "DNAME"},
    {type::opt, "OPT"},     {type::ds, "DS"},         {type::rrsig, "RRSIG"},
    {type::nsec, "NSEC"},   {type::dnskey, "DNSKEY"}, {type::svcb, "SVCB"},
    {type::https, "HTTPS"}, {type::caa, "CAA"},       {type::ixfr, "IXFR"},
    {type::axfr, "AXFR"},   {type::any, "ANY"},
});

constexpr std::array kRcodes = std::to_array<Named>({
    {0, "NOERROR"},
    {1, "FORMERR"},
    {2, "SERVFAIL"},
    {3, "NXDOMAIN"},
    {4, "NOTIMP"},
    {5, "REFUSED"},
    {16, "BADVERS"},
});

template <std::size_t Count>
std::string find_word(
    const std::array<Named, Count>& table, std::uint16_t value, const char* prefix
) {
    for (const auto& [number, word] : table)
        if (number == value) return std::string(word);
    return prefix + std::to_string(value);
}

}  // namespace

std::string type_to_string(std::uint16_t value) {
    return find_word(kTypes, value, "TYPE");
}

std::string rcode_to_string(Rcode value) {
    return find_word(kRcodes, static_cast<std::uint16_t>(value), "RCODE");
}

std::optional<std::uint16_t> parse_type(std::string_view text) {
    for (const auto& [number, word] : kTypes)
        if (base::text::equals_ignoring_case(word, text)) return number;
    constexpr std::string_view kUnknown = "TYPE";
    if (!base::text::equals_ignoring_case(text.substr(0, kUnknown.size()), kUnknown))
        return std::nullopt;
    return base::text::parse_number<std::uint16_t>(text.substr(kUnknown.size()));
}

}  // namespace twinsite::wire::dns
