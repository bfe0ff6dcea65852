// SPDX-License-Identifier: Apache-2.0
#include "cli/slb_text.hpp"

#include <boost/json/value.hpp>

#include "base/text/text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/value.hpp"

namespace twinsite::cli {
namespace json = boost::json;
using output::Align;
using output::elements;
using output::member;
using output::Table;
using output::text_at;

namespace {

std::string result_codes(const json::value& blade) {
    std::vector<std::string> parts;
    for (const auto& [code, count] : output::flatten(member(blade, "result_codes")))
        if (!code.empty()) parts.push_back(base::text::join({code, count}, ":"));
    return base::text::join(parts, " ");
}

}  // namespace

std::string blades_text(const std::string& body) {
    Table table({
        {"BLADE"},
        {"ADDRESS"},
        {"STATE"},
        {"LINK"},
        {"PENDING", Align::right},
        {"SESSIONS", Align::right},
        {"REQUESTS", Align::right},
        {"ANSWERS", Align::right},
        {"RESENT", Align::right},
        {"LATE", Align::right},
        {"RESULT CODES"},
    });
    const auto answer = output::parse_body(body);
    for (const auto* blade : elements(member(answer, "blades"))) {
        std::vector<std::string> cells;
        for (const auto* key :
             {"name",
              "address",
              "state",
              "link",
              "pending",
              "sessions",
              "requests",
              "answers",
              "resent",
              "late"})
            cells.push_back(text_at(*blade, key));
        cells.push_back(result_codes(*blade));
        table.add(std::move(cells));
    }
    return table.empty() ? "no blades\n" : table.text();
}

std::string slb_status_text(const std::string& body) {
    Table table({{""}, {""}});
    for (const auto& [name, value] : output::flatten(output::parse_body(body))) {
        const auto seconds =
            name == "uptime_s" ? base::text::parse_double(value) : std::optional<double>();
        if (seconds)
            table.add({"up", output::spell_seconds(static_cast<long long>(*seconds))});
        else
            table.add({name, value});
    }
    return table.empty() ? "no status\n" : table.text();
}

}  // namespace twinsite::cli
