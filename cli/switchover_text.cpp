// SPDX-License-Identifier: Apache-2.0
#include "cli/switchover_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

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

namespace {

std::string text_at(const json::value& object, std::string_view key) {
    return clean(output::text_at(object, key));
}

std::string title_of(const json::value& object) {
    return text_at(member(object, "title"), "en");
}

std::optional<double> number_at(const json::value& object, std::string_view key) {
    return base::text::parse_double(output::text_at(object, key));
}

/// "1.2s" of milliseconds; empty when there are none.
std::string spell_age(const json::value& object, std::string_view key) {
    const auto ms = number_at(object, key);
    if (!ms) return "";
    if (*ms >= 60'000) return output::spell_seconds(static_cast<long long>(*ms / 1'000));
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "%.1fs", *ms / 1'000);
    return out.data();
}

std::string spell_number(const json::value& object, std::string_view key, const char* format) {
    const auto number = number_at(object, key);
    if (!number) return "";
    std::array<char, 64> out{};
    std::snprintf(out.data(), out.size(), format, *number);
    return out.data();
}

std::string yes_no(const json::value& object, std::string_view key) {
    const auto value = text_at(object, key);
    return value == "true" ? "yes" : value == "false" ? "no" : value;
}

std::string head_of(const json::value& overview) {
    const auto& server = member(overview, "server");
    auto out =
        text_at(server, "node") + " at " + text_at(server, "site") + ", version " +
        text_at(server, "version") +
        (text_at(server, "leader") == "true" ? ", leads" : ", does NOT lead") + ", up " +
        output::spell_seconds(static_cast<long long>(number_at(server, "uptime_s").value_or(0))) +
        "\n";
    const auto& pause = member(overview, "pause");
    if (!pause.is_null()) {
        out += "PAUSED by " + text_at(pause, "by") + ": " + text_at(pause, "reason");
        const auto until = text_at(pause, "until_wall");
        out += until.empty() ? "\n" : ", until " + until + "\n";
    }
    const auto& blind = member(overview, "blind");
    if (text_at(blind, "is") == "true") out += "BLIND: " + text_at(blind, "why") + "\n";
    return out;
}

std::string sites_of(const json::value& overview) {
    Table table(
        {{"SITE"}, {"STATE"}, {"DESIRED"}, {"SERVING"}, {"AGENTS"}, {"VOTES DOWN"}, {"FLAGS"}}
    );
    std::string problems;
    for (const auto* site : elements(member(overview, "sites"))) {
        const auto& agents = member(*site, "agents");
        const auto& evidence = member(*site, "evidence");
        table.add({
            text_at(*site, "name"),
            text_at(*site, "state"),
            text_at(*site, "desired"),
            yes_no(*site, "serving"),
            text_at(agents, "ok") + "/" + text_at(agents, "total"),
            text_at(evidence, "have") + " of " + text_at(evidence, "need"),
            text_at(*site, "flags"),
        });
        for (const auto* problem : elements(member(*site, "problems")))
            problems += "  " + text_at(*site, "name") + ": " + text_at(*problem, "text") + "\n";
        for (const auto* one : elements(member(*site, "members")))
            if (text_at(*one, "reachable") == "false" || text_at(*one, "in_sync") == "false")
                problems +=
                    "  " + text_at(*one, "name") + ": " +
                    (text_at(*one, "reachable") == "false" ? "not reachable" : "not in sync") +
                    " " + text_at(*one, "detail") + "\n";
    }
    return table.text() + problems;
}

std::string services_of(const json::value& overview) {
    Table table({{"SERVICE"}, {"GOOD"}, {"LAST GOOD"}, {"VIEWS"}});
    for (const auto* service : elements(member(overview, "services"))) {
        std::vector<std::string> views;
        for (const auto* view : elements(member(*service, "views")))
            views.push_back(
                text_at(*view, "view") + " " + (text_at(*view, "ok") == "true" ? "good" : "BAD")
            );
        table.add({
            text_at(*service, "name"),
            yes_no(*service, "good"),
            text_at(*service, "last_good_wall"),
            base::text::join(views, ", "),
        });
    }
    return table.empty() ? "" : "\n" + table.text();
}

std::string scenarios_of(const json::value& overview) {
    Table table({{"SCENARIO"}, {"MODE"}, {"FIRING"}, {"VERDICT"}, {"BLOCKED BY"}, {"TITLE"}});
    for (const auto* scenario : elements(member(overview, "scenarios"))) {
        const auto mode = text_at(*scenario, "mode");
        const auto effective = text_at(*scenario, "effective_mode");
        table.add({
            text_at(*scenario, "name"),
            effective.empty() || effective == mode ? mode : mode + " (as " + effective + ")",
            yes_no(*scenario, "firing"),
            text_at(*scenario, "verdict"),
            text_at(*scenario, "blocked_by"),
            title_of(*scenario),
        });
    }
    return table.empty() ? "" : "\n" + table.text();
}

void add_run(Table& table, const json::value& run) {
    table.add({
        text_at(run, "id"),
        text_at(run, "scenario"),
        text_at(run, "state"),
        text_at(run, "mode"),
        text_at(run, "started_wall"),
        text_at(run, "ended_wall"),
        spell_age(run, "rto_ms"),
        text_at(run, "by"),
    });
}

Table run_table() {
    return Table(
        {{"RUN"}, {"SCENARIO"}, {"STATE"}, {"MODE"}, {"STARTED"}, {"ENDED"}, {"RTO"}, {"BY"}}
    );
}

std::string gates_of(const json::value& why, const char* key, const char* title) {
    Table table({{title}, {"OK"}, {"HAVE"}, {"NEED"}, {"AGE"}, {"SOURCE"}, {"TEXT"}});
    for (const auto* gate : elements(member(why, key)))
        table.add({
            text_at(*gate, "code"),
            text_at(*gate, "ok") == "true" ? "yes" : "NO",
            text_at(*gate, "have"),
            text_at(*gate, "need"),
            spell_age(*gate, "age_ms"),
            text_at(*gate, "source"),
            text_at(*gate, "text"),
        });
    return table.empty() ? "" : "\n" + table.text();
}

std::string marks_of(const json::value& run) {
    constexpr std::array<std::pair<const char*, const char*>, 6> kMarks = {{
        {"r0_wall", "R0 last good answer before the stop"},
        {"r1_wall", "R1 the condition fires"},
        {"r2_wall", "R2 decided"},
        {"r3_wall", "R3 first step sent"},
        {"r4_wall", "R4 last step done"},
        {"r5_wall", "R5 first good answer that lasts"},
    }};
    std::string out;
    for (const auto& [key, words] : kMarks) {
        const auto wall = text_at(member(run, "marks"), key);
        if (!wall.empty()) out += "  " + wall + "  " + words + "\n";
    }
    const auto rto = spell_age(run, "rto_ms");
    if (rto.empty()) return out;
    out += "RTO " + rto + ", without waiting for people " + spell_age(run, "rto_without_human_ms");
    const auto target = spell_age(run, "rto_target_ms");
    if (text_at(run, "rto_ok") == "true") out += ", within the target of " + target;
    if (text_at(run, "rto_ok") == "false") out += ", ABOVE the target of " + target;
    if (text_at(run, "health_alone") == "true")
        out += "; health had moved the users before the first step";
    return out + "\n";
}

}  // namespace

std::string clean(std::string_view text) {
    std::string out(text);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto byte = static_cast<unsigned char>(out[i]);
        const bool c1 =
            byte == 0xC2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xA0;
        if (c1) out[i++] = ' ';
        if (c1 || byte < 0x20 || byte == 0x7F) out[i] = ' ';
    }
    return out;
}

std::string overview_text(const std::string& body) {
    const auto overview = output::parse_body(body);
    auto out = head_of(overview) + "\n" + sites_of(overview) + services_of(overview) +
               scenarios_of(overview);
    auto table = run_table();
    for (const auto* run : elements(member(member(overview, "runs"), "active")))
        add_run(table, *run);
    const auto& last = member(member(overview, "runs"), "last");
    if (table.empty() && !last.is_null()) add_run(table, last);
    if (!table.empty()) out += "\n" + table.text();
    for (const auto* alarm : elements(member(overview, "alarms")))
        out += "\n" + text_at(*alarm, "severity") + ": " + text_at(*alarm, "text") + " (since " +
               text_at(*alarm, "since_wall") + ")";
    return out;
}

std::string hosts_text(const std::string& body) {
    const auto answer = output::parse_body(body);
    Table table(
        {{"HOST"},
         {"KIND"},
         {"STATE"},
         {"AGE", Align::right},
         {"CPU IDLE", Align::right},
         {"AVG 1M", Align::right},
         {"MEMORY", Align::right},
         {"DISK MAX", Align::right},
         {"PROCESSES"}}
    );
    for (const auto* host : elements(member(answer, "hosts"))) {
        double fullest = -1;
        for (const auto* disk : elements(member(*host, "disks")))
            fullest = std::max(fullest, number_at(*disk, "used_percent").value_or(-1));
        std::array<char, 32> disk{};
        if (fullest >= 0) std::snprintf(disk.data(), disk.size(), "%.0f%%", fullest);
        std::vector<std::string> processes;
        for (const auto* process : elements(member(*host, "processes")))
            processes.push_back(text_at(*process, "name") + " " + text_at(*process, "state"));
        const auto& cpu = member(*host, "cpu");
        table.add({
            text_at(*host, "id"),
            text_at(*host, "kind"),
            text_at(*host, "state") + (text_at(*host, "stale") == "true" ? " stale" : ""),
            spell_age(*host, "age_ms"),
            spell_number(cpu, "idle", "%.1f%%"),
            spell_number(cpu, "idle_avg1m", "%.1f%%"),
            spell_number(member(*host, "memory"), "used_percent", "%.0f%%"),
            disk.data(),
            base::text::join(processes, ", "),
        });
    }
    return table.empty() ? "no hosts\n" : table.text();
}

std::string why_text(const std::string& body) {
    const auto why = output::parse_body(body);
    auto out = text_at(why, "scenario") + ": " + text_at(why, "verdict") + ", mode " +
               text_at(why, "mode");
    const auto effective = text_at(why, "effective_mode");
    if (!effective.empty() && effective != text_at(why, "mode")) out += " (as " + effective + ")";
    out += text_at(why, "firing") == "true" ? ", fires\n" : ", does not fire\n";
    if (const auto text = text_at(member(why, "text"), "en"); !text.empty()) out += text + "\n";
    return out + gates_of(why, "trigger", "TRIGGER") + gates_of(why, "gates", "GATE") +
           gates_of(why, "require", "REQUIRE");
}

std::string mode_text(const std::string& body) {
    const auto scenario = output::parse_body(body);
    return text_at(scenario, "name") + " is now " + text_at(scenario, "mode") + "\n";
}

std::string pause_text(const std::string& body) {
    const auto until = text_at(output::parse_body(body), "until_wall");
    return "paused: nothing starts by itself " +
           (until.empty() ? "until `twinsite unpause`" : "until " + until) + "\n";
}

std::string unpause_text(const std::string&) {
    return "the pause is over\n";
}

std::string audit_text(const std::string& body) {
    const auto answer = output::parse_body(body);
    Table table(
        {{"SEQ", Align::right},
         {"TIME"},
         {"WHO"},
         {"FROM"},
         {"ACTION"},
         {"OBJECT"},
         {"RESULT"},
         {"DETAIL"}}
    );
    for (const auto* entry : elements(member(answer, "entries")))
        table.add({
            text_at(*entry, "seq"),
            text_at(*entry, "wall"),
            text_at(*entry, "who"),
            text_at(*entry, "from"),
            text_at(*entry, "action"),
            text_at(*entry, "object"),
            text_at(*entry, "result"),
            text_at(*entry, "detail"),
        });
    return table.empty() ? "no lines\n" : table.text();
}

std::string audit_verify_text(const std::string& body) {
    const auto checked = output::parse_body(body);
    if (text_at(checked, "ok") == "true")
        return "whole: " + text_at(checked, "entries") + " lines\n";
    return "BROKEN at line " + text_at(checked, "first_bad") + " of " +
           text_at(checked, "entries") + "\n";
}

std::string runs_text(const std::string& body) {
    const auto answer = output::parse_body(body);
    auto table = run_table();
    for (const auto* run : elements(member(answer, "runs"))) add_run(table, *run);
    return table.empty() ? "no runs\n" : table.text();
}

std::string run_text(const std::string& body) {
    const auto run = output::parse_body(body);
    auto out = text_at(run, "id") + ": " + title_of(run) + ", " + text_at(run, "state") + "\n" +
               "started " + text_at(run, "started_wall") + " by " + text_at(run, "by") + " (" +
               text_at(run, "mode") + ")";
    if (const auto reason = text_at(run, "reason"); !reason.empty()) out += ": " + reason;
    out += "\n";
    if (const auto words = text_at(run, "output"); !words.empty()) out += words + "\n";
    Table steps({{"STEP"}, {"STATE"}, {"TRIES", Align::right}, {"STARTED"}, {"ENDED"}, {"OUTPUT"}});
    for (const auto* step : elements(member(run, "steps"))) {
        steps.add({
            text_at(*step, "id"),
            text_at(*step, "state"),
            text_at(*step, "tries"),
            text_at(*step, "started_wall"),
            text_at(*step, "ended_wall"),
            text_at(*step, "output").substr(0, 160),
        });
    }
    if (!steps.empty()) out += "\n" + steps.text();
    if (const auto marks = marks_of(run); !marks.empty()) out += "\n" + marks;
    for (const auto* warning : elements(member(run, "warnings")))
        out += "warning: " + clean(output::to_text(*warning)) + "\n";
    return out;
}

std::string run_started_text(const std::string& body) {
    const auto run = output::parse_body(body);
    return "run " + text_at(run, "id") + ": " + text_at(run, "state") + "; `twinsite run watch " +
           text_at(run, "id") + "` follows it\n";
}

}  // namespace twinsite::cli
