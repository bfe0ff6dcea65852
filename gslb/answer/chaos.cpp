// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/chaos.hpp"

#include <string_view>

#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using namespace std::string_view_literals;

/// In wire form without the root, in lower case.
constexpr auto kVersionBind = "\7version\4bind"sv;
constexpr auto kVersionServer = "\7version\6server"sv;
constexpr auto kHostnameBind = "\10hostname\4bind"sv;
constexpr auto kIdServer = "\2id\6server"sv;

bool is_name(const dns::Query& query, std::string_view name) {
    if (query.name_bytes != name.size() + 1) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const std::uint8_t byte = query.name()[i];
        const bool upper = byte >= 'A' && byte <= 'Z';
        if ((upper ? byte | 0x20 : byte) != static_cast<std::uint8_t>(name[i])) return false;
    }
    return true;
}

/// What we tell of ourselves under the name; empty: nothing.
std::string_view text_of(const Conduct& conduct, const dns::Query& query) {
    if (is_name(query, kVersionBind) || is_name(query, kVersionServer))
        return conduct.chaos_version;
    if (is_name(query, kHostnameBind) || is_name(query, kIdServer)) return conduct.chaos_id;
    return {};
}

}  // namespace

void answer_chaos(const Context& context, Draft& draft) {
    const dns::Query& query = draft.query;
    const auto text = context.conduct == nullptr ? ""sv : text_of(*context.conduct, query);
    if (text.empty()) {
        draft.why = dns::ExtendedError::prohibited;
        return set_rcode(draft, dns::Rcode::refused);
    }
    draft.flags |= dns::flag::aa;
    if (query.type != dns::type::txt && query.type != dns::type::any) return;
    std::uint8_t* const at = extend(draft, 13 + text.size());
    if (at == nullptr) return;
    dns::store16(at, kOwnerIsQuestion);
    dns::store16(at + 2, dns::type::txt);
    dns::store16(at + 4, dns::kClassChaos);
    dns::store32(at + 6, 0);
    dns::store16(at + 10, static_cast<std::uint16_t>(text.size() + 1));
    at[12] = static_cast<std::uint8_t>(text.size());
    std::copy(text.begin(), text.end(), at + 13);
    draft.answers = 1;
}

}  // namespace twinsite::gslb::answer
