// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/svcb_hints.hpp"

#include <map>

namespace twinsite::gslb::steering {
namespace {

using base::text::Family;
using base::text::IpAddress;

constexpr std::uint16_t kIpv4Hint = 4;
constexpr std::uint16_t kIpv6Hint = 6;

using Parameters = std::map<std::uint16_t, std::vector<std::uint8_t>>;

std::uint16_t load(std::span<const std::uint8_t> from, std::size_t at) {
    return static_cast<std::uint16_t>(from[at] << 8 | from[at + 1]);
}

void store(std::vector<std::uint8_t>& out, std::size_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
}

/// Where the parameters begin: behind priority and name. 0: the rdata is cut off.
std::size_t parameters_at(std::span<const std::uint8_t> rdata) {
    std::size_t at = 2;
    while (at < rdata.size() && rdata[at] != 0) at += 1 + std::size_t{rdata[at]};
    return at < rdata.size() ? at + 1 : 0;
}

/// False: a parameter is cut off.
bool read_parameters(std::span<const std::uint8_t> rdata, std::size_t at, Parameters& out) {
    while (at < rdata.size()) {
        if (rdata.size() - at < 4) return false;
        const std::uint16_t key = load(rdata, at);
        const std::size_t size = load(rdata, at + 2);
        at += 4;
        if (rdata.size() - at < size) return false;
        const auto value = rdata.subspan(at, size);
        out[key].assign(value.begin(), value.end());
        at += size;
    }
    return true;
}

std::vector<std::uint8_t> joined(std::span<const IpAddress> addresses, Family family) {
    std::vector<std::uint8_t> out;
    for (const IpAddress& address : addresses)
        if (address.family == family)
            out.insert(
                out.end(),
                address.bytes.begin(),
                address.bytes.begin() + static_cast<std::ptrdiff_t>(address.size_bytes())
            );
    return out;
}

}  // namespace

std::vector<std::uint8_t> with_hints(
    std::span<const std::uint8_t> rdata, std::span<const IpAddress> addresses
) {
    std::vector<std::uint8_t> as_it_is(rdata.begin(), rdata.end());
    const std::size_t begin = parameters_at(rdata);
    Parameters parameters;
    if (begin == 0 || load(rdata, 0) == 0) return as_it_is;
    if (!read_parameters(rdata, begin, parameters)) return as_it_is;
    const std::pair<std::uint16_t, Family> hints[] = {
        {kIpv4Hint, Family::v4}, {kIpv6Hint, Family::v6}
    };
    for (const auto& [key, family] : hints) {
        parameters.erase(key);
        auto value = joined(addresses, family);
        if (!value.empty()) parameters[key] = std::move(value);
    }
    std::vector<std::uint8_t> out(
        rdata.begin(), rdata.begin() + static_cast<std::ptrdiff_t>(begin)
    );
    for (const auto& [key, value] : parameters) {
        store(out, key);
        store(out, value.size());
        out.insert(out.end(), value.begin(), value.end());
    }
    return out;
}

}  // namespace twinsite::gslb::steering
