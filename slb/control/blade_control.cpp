// SPDX-License-Identifier: Apache-2.0
#include "slb/control/blade_control.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::slb::control {

namespace {

constexpr std::string_view kKind = "blade";

}  // namespace

std::variant<BladeControl, std::string> BladeControl::read(wire::contract::Desired desired) {
    for (const auto& each : desired.objects) {
        const auto name = "object '" + base::text::printable(each.object) + "'";
        const auto [kind, rest] = wire::contract::split_object(each.object);
        if (kind != kKind || rest.empty()) return name + " must be blade:NAME";
        if (each.state != "active" && each.state != "drain")
            return name + ": the state must be active or drain";
    }
    BladeControl out;
    out.desired_ = std::move(desired);
    return out;
}

BladeControl::Word BladeControl::word(std::string_view blade) const {
    for (const auto& each : desired_.objects)
        if (wire::contract::split_object(each.object).rest == blade)
            return each.state == "drain" ? Word::drain : Word::active;
    return Word::none;
}

std::vector<std::string> BladeControl::find_unknown(const std::vector<proxy::BladeSettings>& blades
) const {
    std::vector<std::string> out;
    for (const auto& each : desired_.objects) {
        const auto name = wire::contract::split_object(each.object).rest;
        const bool known = std::any_of(blades.begin(), blades.end(), [&](const auto& blade) {
            return blade.name == name;
        });
        if (!known) out.push_back(each.object);
    }
    return out;
}

const char* to_string(BladeControl::Word word) noexcept {
    switch (word) {
        case BladeControl::Word::active:
            return "active";
        case BladeControl::Word::drain:
            return "drain";
        case BladeControl::Word::none:
            break;
    }
    return "";
}

}  // namespace twinsite::slb::control
