// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/premade_text.hpp"

#include <algorithm>
#include <span>
#include <sstream>

#include "gslb/zone/master_text.hpp"
#include "gslb/zone/rdata_text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

/// Rdata of the entry; on failure `problem` says why.
std::vector<std::uint8_t> read_entry(
    const MasterEntry& entry, const wire::dns::Name& zone, RdataParser& parser, std::string& problem
) {
    problem = entry.problem;
    if (!problem.empty()) return {};
    const auto& words = entry.words;
    const auto type = std::find(words.begin(), words.end(), "RRSIG");
    if (entry.begins_blank || type == words.begin() || type == words.end()) {
        problem = " must be an RRSIG record with its owner";
        return {};
    }
    const auto owner = wire::dns::parse_name(words.front());
    if (!owner || *owner != zone) {
        problem = " is not of " + zone.to_string();
        return {};
    }
    const auto first = static_cast<std::size_t>(type - words.begin()) + 1;
    return parser.parse(wire::dns::type::rrsig, std::span(words).subspan(first), problem);
}

}  // namespace

std::variant<Rdatas, std::string> read_premade(std::string_view text, const wire::dns::Name& zone) {
    std::istringstream in{std::string(text)};
    MasterReader reader(in);
    MasterEntry entry;
    RdataParser parser(zone);
    Rdatas out;
    while (reader.next(entry)) {
        std::string problem;
        auto rdata = read_entry(entry, zone, parser, problem);
        if (problem.empty() && !decode_signature(rdata, 0)) problem = " is no signature";
        if (!problem.empty()) return std::to_string(entry.line) + ":" + problem;
        out.push_back(std::move(rdata));
    }
    return out;
}

}  // namespace twinsite::gslb::zone
