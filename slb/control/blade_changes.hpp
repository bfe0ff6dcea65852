// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/endpoint.hpp"
#include "slb/control/blade_control.hpp"
#include "slb/proxy/settings.hpp"

namespace twinsite::slb::control {

/// What operators changed by the API since the configuration was written: blades added, blades
/// taken out, blades draining. Kept on disk, so that it survives a restart; the configuration
/// file itself is never written. A value: change a copy, save it, then use it.
class BladeChanges {
public:
    using Blades = std::vector<proxy::BladeSettings>;

    /// The blades to run with: those of the configuration, changed. Where operators have not
    /// spoken of a blade, `control` says whether it drains.
    Blades apply(const Blades& configured, const BladeControl& control = {}) const;
    /// The operators' word: "active" (against control), "drain" or "".
    const char* word(const std::string& name) const;

    void add(const std::string& name, const base::net::Endpoint& address);
    void remove(const std::string& name, const Blades& configured);
    void drain(const std::string& name);
    /// Ends an operator's drain; where `control` wants the blade to drain, overrules it for as long
    /// as it does.
    void activate(const std::string& name, const BladeControl& control);
    /// Forgets what overruled a control that has ended. True when there was such.
    bool forget_overruled(const BladeControl& control);
    /// Forgets what refers to blades that exist neither here nor in the configuration any more.
    void tidy(const Blades& configured);

    std::string to_json() const;
    /// nullopt for a text that `to_json` did not write.
    static std::optional<BladeChanges> from_json(std::string_view text);

    bool operator==(const BladeChanges&) const = default;

private:
    std::map<std::string, base::net::Endpoint> added_;
    std::set<std::string> removed_;
    std::set<std::string> draining_;
    std::set<std::string> activated_;  ///< although control says drain
};

}  // namespace twinsite::slb::control
