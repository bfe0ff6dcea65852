// SPDX-License-Identifier: Apache-2.0
#include "cli/daemon_text.hpp"

#include <boost/json/value.hpp>

#include "cli/output/table.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli {
using output::Align;
using output::Table;
using output::text_at;

std::string counters_text(const std::string& body) {
    Table table({{"COUNTER"}, {"VALUE", Align::right}});
    for (const auto& [name, value] : output::flatten(output::parse_body(body)))
        table.add({name, value});
    return table.empty() ? "no counters\n" : table.text();
}

std::string reload_text(const std::string& body) {
    const auto snapshot = text_at(output::parse_body(body), "snapshot");
    return snapshot.empty() ? "reloaded\n" : "reloaded: snapshot " + snapshot + " is in use\n";
}

}  // namespace twinsite::cli
