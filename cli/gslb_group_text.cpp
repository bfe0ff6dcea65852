// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_group_text.hpp"

#include <algorithm>

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

constexpr std::size_t kShownHash = 12;

std::string version_at(const json::value& of) {
    const auto epoch = text_at(of, "epoch");
    if (epoch.empty() || epoch == "0") return "none";
    return epoch + "." + text_at(of, "seq");
}

std::string version_with_hash(const json::value& of) {
    const auto version = version_at(of);
    return version == "none" ? version
                             : version + " (" + text_at(of, "hash").substr(0, kShownHash) + ")";
}

std::string milliseconds(const std::string& us) {
    const auto number = base::text::parse_double(us);
    if (!number) return "-";
    auto text = std::to_string(*number / 1000);
    return text.substr(0, text.find('.') + 2) + " ms";
}

/// "1 policy", "3 policies"
std::string policies(const std::string& count) {
    return count + (count == "1" ? " policy" : " policies");
}

std::string peer_warnings(const json::value& peer) {
    std::string out;
    const auto name = text_at(peer, "name");
    if (const auto count = text_at(peer, "answers_differ"); !count.empty() && count != "0")
        out += "answers differ for " + policies(count) + " from " + name + ": " +
               text_at(peer, "differing_policies") + "\n";
    const auto broken = text_at(peer, "answers_differ_with_equal_inputs");
    if (!broken.empty() && broken != "0")
        out += "ALARM: for " + policies(broken) + " " + name +
               " answers in another way though it has the same intent and state\n";
    if (const auto problem = text_at(peer, "problem"); !problem.empty())
        out += name + ": " + problem + "\n";
    return out;
}

std::string fork_lines(const json::value& group) {
    std::string out;
    for (const auto* fork : elements(member(group, "forks")))
        out += "FORK: " + version_with_hash(*fork) + " by " + text_at(*fork, "author") + ": " +
               text_at(*fork, "why") + "\n";
    const auto& refused = member(group, "refused");
    if (!refused.is_object()) return out;
    out += "REFUSED: " + version_with_hash(refused) + " by " + text_at(refused, "author") + "\n";
    for (const auto* finding : elements(member(refused, "findings")))
        out += "  " + output::to_text(*finding) + "\n";
    return out;
}

std::string classes_of(const json::value& answer) {
    std::vector<std::string> parts;
    for (const auto* sites : elements(member(answer, "classes"))) {
        const auto names = output::to_text(*sites);
        parts.push_back(names.empty() ? "others" : names);
    }
    return parts.empty() ? "everyone" : base::text::join(parts, " | ");
}

std::string change_lines(const json::value& changes) {
    std::string out;
    for (const auto* change : elements(changes)) {
        const auto before = text_at(*change, "before");
        const auto after = text_at(*change, "after");
        out += text_at(*change, "owner") + " " + text_at(*change, "type") + "\n";
        if (!before.empty()) out += "  - " + before + "\n";
        if (!after.empty()) out += "  + " + after + "\n";
    }
    return out;
}

std::string file_lines(const json::value& files) {
    std::string out;
    for (const auto* file : elements(files)) {
        out += text_at(*file, "what") + " " + text_at(*file, "path") + "\n";
        for (const auto* line : elements(member(*file, "lines")))
            out += "  " + output::to_text(*line) + "\n";
        const auto more = text_at(*file, "left_out");
        if (!more.empty() && more != "0") out += "  (" + more + " more lines)\n";
    }
    return out;
}

std::string difference_of(const json::value& difference) {
    const auto files = file_lines(member(difference, "files"));
    if (files.empty()) return "no file changes\n";
    const auto answers = change_lines(member(difference, "answers"));
    return files + "\n" +
           (answers.empty() ? "no answer changes with the health of now\n"
                            : "answers that change with the health of now:\n" + answers);
}

}  // namespace

std::string peers_text(const std::string& body) {
    const auto group = output::parse_body(body);
    if (text_at(group, "configured") == "false")
        return "this gslb is in no group (`group` of its configuration)\n";
    const auto& intent = member(group, "intent");
    std::string out = "intent " + version_with_hash(intent);
    if (const auto author = text_at(intent, "author"); !author.empty()) out += " by " + author;
    out += "\n\n";
    Table peers(
        {{"peer"},
         {"site"},
         {"state"},
         {"intent"},
         {"link"},
         {"round trip", Align::right},
         {"program"}}
    );
    std::string warnings;
    for (const auto* peer : elements(member(group, "peers"))) {
        const bool connected = text_at(*peer, "connected") == "true";
        peers.add(
            {text_at(*peer, "name"),
             text_at(*peer, "site"),
             text_at(*peer, "text"),
             version_at(member(*peer, "intent")),
             connected ? "version " + text_at(*peer, "protocol") : "down",
             milliseconds(text_at(*peer, "round_trip_us")),
             text_at(*peer, "program")}
        );
        warnings += peer_warnings(*peer);
    }
    out += peers.text();
    warnings += fork_lines(group);
    return warnings.empty() ? out : out + "\n" + warnings;
}

std::string zones_text(const std::string& body) {
    Table zones({{"zone"}, {"serial", Align::right}, {"records", Align::right}});
    for (const auto* zone : elements(member(output::parse_body(body), "zones")))
        zones.add({text_at(*zone, "name"), text_at(*zone, "serial"), text_at(*zone, "records")});
    return zones.text();
}

std::string health_text(const std::string& body) {
    Table checks(
        {{"service"},
         {"target"},
         {"site"},
         {"state"},
         {"check"},
         {"endpoint"},
         {"says"},
         {"age ms", Align::right},
         {"last error"}}
    );
    for (const auto* service : elements(member(output::parse_body(body), "services")))
        for (const auto* target : elements(member(*service, "targets"))) {
            const std::vector<std::string> head{
                text_at(*service, "name"),
                text_at(*target, "name"),
                text_at(*target, "site"),
                text_at(*target, "state")
            };
            const auto of = elements(member(*target, "checks"));
            if (of.empty()) checks.add(head);
            for (const auto* check : of) {
                auto row = head;
                for (const char* key : {"name", "endpoint", "state", "age_ms", "last_error"})
                    row.push_back(text_at(*check, key));
                checks.add(std::move(row));
            }
        }
    return checks.text();
}

std::string simulate_text(const std::string& body) {
    const auto simulated = output::parse_body(body);
    Table answers({{"name"}, {"type"}, {"clients that prefer"}, {"get"}, {"records"}});
    for (const auto* answer : elements(member(simulated, "answers"))) {
        auto targets = text_at(*answer, "targets");
        if (targets.empty()) targets = "no record";
        if (text_at(*answer, "drawn") == "true") targets += " (drawn by weight)";
        answers.add(
            {text_at(*answer, "owner"),
             text_at(*answer, "type"),
             classes_of(*answer),
             targets,
             text_at(*answer, "records")}
        );
    }
    auto out = answers.text();
    const auto changes = change_lines(member(simulated, "changes"));
    out += changes.empty() ? "\nnothing would change\n" : "\nchanges against now:\n" + changes;
    return out;
}

std::string difference_text(const std::string& body) {
    return difference_of(member(output::parse_body(body), "difference"));
}

std::string published_text(const std::string& body) {
    const auto published = output::parse_body(body);
    return difference_of(member(published, "difference")) + "\nversion " +
           version_with_hash(member(published, "version")) +
           " is in force here; `twinsite gslb peers` shows when the others have it\n";
}

std::string versions_text(const std::string& body) {
    const auto intent = output::parse_body(body);
    Table versions({{"version"}, {"author"}, {"hash"}, {""}});
    auto known = elements(member(intent, "known"));
    std::reverse(known.begin(), known.end());
    for (const auto* each : known) {
        const bool newest = each == known.front();
        const bool kept = text_at(*each, "kept") == "true";
        versions.add(
            {version_at(*each),
             text_at(*each, "author"),
             text_at(*each, "hash").substr(0, kShownHash),
             newest ? "in force"
             : kept ? ""
                    : "not kept any more"}
        );
    }
    if (known.empty()) return "nothing was published yet\n";
    const auto& now = member(intent, "in_force");
    return versions.text() + "\n" + text_at(now, "operator") + ": " + text_at(now, "reason") +
           "\n" + fork_lines(intent);
}

}  // namespace twinsite::cli
