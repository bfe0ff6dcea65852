// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "slb/proxy/settings.hpp"
#include "wire/contract/desired.hpp"

namespace twinsite::slb::control {

/// The wanted state that switchover sent, read for this program: which blades are to drain. Stands
/// below the operators' commands (docs/decisions/0015). A value.
class BladeControl {
public:
    enum class Word : std::uint8_t { none, active, drain };

    BladeControl() = default;
    /// A sentence when an object is not "blade:NAME" with active or drain.
    static std::variant<BladeControl, std::string> read(wire::contract::Desired desired);

    Word word(std::string_view blade) const;
    /// Objects that are none of these blades.
    std::vector<std::string> find_unknown(const std::vector<proxy::BladeSettings>& blades) const;
    const wire::contract::Desired& desired() const { return desired_; }

private:
    wire::contract::Desired desired_;
};

/// "active", "drain" or "".
const char* to_string(BladeControl::Word word) noexcept;

}  // namespace twinsite::slb::control
