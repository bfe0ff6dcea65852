// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/facts.hpp"

namespace twinsite::gslb::steering {

const Fact* Facts::find(std::string_view name, std::string_view site) const {
    std::string key(name);
    key += '@';
    key += site;
    auto found = values.find(key);
    if (found == values.end()) found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
}

const Facts& no_facts() {
    static const Facts none;
    return none;
}

}  // namespace twinsite::gslb::steering
