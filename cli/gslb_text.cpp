// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_text.hpp"

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

std::string uptime(const json::value& status) {
    const auto seconds = base::text::parse_double(text_at(status, "uptime_s"));
    return seconds ? output::spell_seconds(static_cast<long long>(*seconds)) : "-";
}

std::string checks_of(const json::value& target) {
    std::vector<std::string> parts;
    for (const auto* check : elements(member(target, "checks"))) {
        auto text = text_at(*check, "name") + " " + text_at(*check, "state");
        if (const auto age = text_at(*check, "age_ms"); !age.empty())
            text.append(" ").append(age).append(" ms ago");
        if (const auto error = text_at(*check, "last_error"); !error.empty())
            text.append(" (").append(error).append(")");
        parts.push_back(std::move(text));
    }
    return base::text::join(parts, "; ");
}

std::string stage_lines(const json::value& explained) {
    std::string out;
    for (const auto* stage : elements(member(explained, "stages"))) {
        out += "  " + text_at(*stage, "filter") + ": keeps ";
        const auto kept = text_at(*stage, "kept");
        out += kept.empty() ? "nothing" : kept;
        for (const auto* dropped : elements(member(*stage, "dropped")))
            out +=
                "; drops " + text_at(*dropped, "target") + " (" + text_at(*dropped, "reason") + ")";
        if (const auto note = text_at(*stage, "note"); !note.empty()) out += "; " + note;
        out += '\n';
    }
    return out;
}

// The rest of the first line: what must not be overlooked.
std::string readiness(const json::value& status) {
    return text_at(status, "ready") == "false" ? ", NOT READY" : "";
}

std::string override_count(const json::value& status) {
    const auto count = text_at(status, "overrides");
    if (count.empty() || count == "0") return "";
    return ", " + count + (count == "1" ? " override" : " overrides") + " in force";
}

std::string override_done(const std::string& body, std::string_view warning) {
    std::string out = "done; `twinsite gslb override list` shows what is in force\n";
    if (text_at(output::parse_body(body), "kept_on_disk") == "false")
        out.append("WARNING: ").append(warning).append(" (log: state_not_saved)\n");
    return out;
}

}  // namespace

std::string explain_text(const std::string& body) {
    const auto explained = output::parse_body(body);
    Table facts({{""}, {""}});
    const auto& client_class = member(explained, "class");
    facts.add({"question", text_at(explained, "name") + " " + text_at(explained, "type")});
    facts.add({"client", text_at(explained, "client")});
    facts.add({"subnet", text_at(explained, "subnet")});
    facts.add({"class", text_at(client_class, "sites")});
    const auto scope = text_at(explained, "scope");
    facts.add({"scope", scope.empty() ? "" : "/" + scope});
    facts.add({"answer", text_at(explained, "answers")});
    facts.add({"rcode", text_at(explained, "rcode")});
    facts.add({"ttl", text_at(explained, "ttl_s") + " s"});
    facts.add({"decided by", text_at(explained, "precedence")});
    facts.add({"snapshot", text_at(explained, "snapshot")});
    auto out = facts.text();

    // The daemon's own words hold the stages too; without them the stages are spelled here.
    const auto lines = elements(member(explained, "text"));
    if (lines.empty()) return out + stage_lines(explained);
    out += '\n';
    for (const auto* line : lines) out += output::to_text(*line) + "\n";
    return out;
}

std::string overrides_text(const std::string& body) {
    const auto answer = output::parse_body(body);
    Table table({{"SERVICE"}, {"OBJECT"}, {"STATE"}, {"AUTHOR"}, {"SET"}, {"EXPIRES"}, {"REASON"}});
    const auto& list = answer.is_array() ? answer : member(answer, "overrides");
    for (const auto* entry : elements(list)) {
        auto object = text_at(*entry, "target");
        if (object.empty()) object = text_at(*entry, "object");
        auto expires = text_at(*entry, "expires_at");
        if (expires.empty())
            if (const auto left = text_at(*entry, "expires_in_s"); !left.empty())
                expires = "in " + left + " s";
        table.add({
            text_at(*entry, "service"),
            object,
            text_at(*entry, "state"),
            text_at(*entry, "author"),
            text_at(*entry, "set_at"),
            expires.empty() ? "never" : expires,
            text_at(*entry, "reason"),
        });
    }
    return table.empty() ? "no overrides: health alone decides\n" : table.text();
}

std::string override_set_text(const std::string& body) {
    return override_done(
        body, "it is in force, but could not be written to disk and will be lost at a restart"
    );
}

std::string override_cleared_text(const std::string& body) {
    return override_done(
        body, "it is cleared, but that could not be written to disk: a restart brings it back"
    );
}

std::string gslb_status_text(const std::string& body) {
    const auto status = output::parse_body(body);
    auto out = text_at(status, "node") + " at site " + text_at(status, "site") + readiness(status) +
               ", version " + text_at(status, "version") + ", up " + uptime(status) +
               ", snapshot " + text_at(status, "snapshot") + override_count(status) + "\n\n";
    Table zones({{"ZONE"}, {"SERIAL", Align::right}, {"RECORDS", Align::right}});
    for (const auto* zone : elements(member(status, "zones")))
        zones.add({text_at(*zone, "name"), text_at(*zone, "serial"), text_at(*zone, "records")});
    if (!zones.empty()) out += zones.text() + "\n";

    Table targets(
        {{"SERVICE"}, {"TARGET"}, {"SITE"}, {"ADDRESSES"}, {"HEALTH"}, {"FORCED"}, {"CHECKS"}}
    );
    for (const auto* service : elements(member(status, "services")))
        for (const auto* target : elements(member(*service, "targets")))
            targets.add({
                text_at(*service, "name"),
                text_at(*target, "name"),
                text_at(*target, "site"),
                text_at(*target, "addresses"),
                text_at(*target, "state"),
                text_at(*target, "forced"),
                checks_of(*target),
            });
    return targets.empty() ? out + "no services\n" : out + targets.text();
}

}  // namespace twinsite::cli
