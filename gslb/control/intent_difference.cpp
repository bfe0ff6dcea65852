// SPDX-License-Identifier: Apache-2.0
// What an operator is shown before an intent is published.
#include <algorithm>
#include <map>
#include <set>

#include "base/text/text.hpp"
#include "gslb/control/intent_api.hpp"

namespace twinsite::gslb::control {
namespace {

using base::text::join;

constexpr std::size_t kMostLines = 200;

std::vector<std::string_view> lines_of(const std::string& text) {
    auto out = base::text::split(text, '\n');
    if (!out.empty() && out.back().empty()) out.pop_back();
    return out;
}

bool is_text(const std::string& content) {
    return content.find('\0') == std::string::npos;
}

/// What stands between the common beginning and the common end.
void compare_lines(const std::string& before, const std::string& after, FileChange& out) {
    const auto old = lines_of(before);
    const auto fresh = lines_of(after);
    const auto [o, f] = std::mismatch(old.begin(), old.end(), fresh.begin(), fresh.end());
    const auto begin = static_cast<std::size_t>(o - old.begin());
    std::size_t end = 0;
    while (begin + end < old.size() && begin + end < fresh.size() &&
           old[old.size() - 1 - end] == fresh[fresh.size() - 1 - end])
        ++end;
    const auto add = [&](char mark, const std::vector<std::string_view>& lines) {
        for (std::size_t i = begin; i + end < lines.size(); ++i) {
            if (out.lines.size() < kMostLines)
                out.lines.push_back(mark + base::text::printable(lines[i]));
            else
                ++out.left_out;
        }
    };
    add('-', old);
    add('+', fresh);
}

std::string text_of(const ClassAnswer& answer) {
    std::string out = answer.targets.empty() ? "no record" : join(answer.targets, ", ");
    if (!answer.records.empty()) out += " (" + join(answer.records, ", ") + ")";
    if (answer.drawn) out += ", drawn by weight";
    return out;
}

/// Each (owner, type, class) with its answer as text. The key of clients that no network names,
/// and of all clients, is "".
using Table = std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>>;

Table table_of(const std::vector<ClassAnswer>& answers) {
    Table out;
    for (const auto& answer : answers) {
        auto& of = out[{answer.owner, answer.type}];
        if (answer.classes.empty()) of[""] = text_of(answer);
        for (const auto& sites : answer.classes) of[join(sites, ",")] = text_of(answer);
    }
    return out;
}

std::string find(const std::map<std::string, std::string>& of, const std::string& sites) {
    const auto at = of.find(sites);
    if (at != of.end()) return at->second;
    // A class that this side does not know gets what unnamed clients get.
    const auto rest = of.find("");
    return rest == of.end() ? "" : rest->second;
}

}  // namespace

std::vector<FileChange> compare_files(const group::Files& before, const group::Files& after) {
    std::set<std::string> paths;
    for (const auto* files : {&before, &after})
        for (const auto& [path, text] : *files) paths.insert(path);
    std::vector<FileChange> out;
    for (const auto& path : paths) {
        const auto old = before.find(path);
        const auto fresh = after.find(path);
        if (old != before.end() && fresh != after.end() && old->second == fresh->second) continue;
        auto& change = out.emplace_back();
        change.path = path;
        change.what = old == before.end() ? "added" : fresh == after.end() ? "removed" : "changed";
        const std::string from = old == before.end() ? "" : old->second;
        const std::string to = fresh == after.end() ? "" : fresh->second;
        if (is_text(from) && is_text(to)) compare_lines(from, to, change);
    }
    return out;
}

std::vector<AnswerChange> compare_answers(
    const std::vector<ClassAnswer>& before, const std::vector<ClassAnswer>& after
) {
    const auto old = table_of(before);
    const auto fresh = table_of(after);
    std::set<std::pair<std::string, std::string>> names;
    for (const auto* table : {&old, &fresh})
        for (const auto& [name, of] : *table) names.insert(name);
    std::vector<AnswerChange> out;
    const std::map<std::string, std::string> none;
    for (const auto& name : names) {
        const auto& was = old.contains(name) ? old.at(name) : none;
        const auto& is = fresh.contains(name) ? fresh.at(name) : none;
        std::set<std::string> classes;
        for (const auto* of : {&was, &is})
            for (const auto& [sites, text] : *of) classes.insert(sites);
        for (const auto& sites : classes) {
            const auto from = find(was, sites);
            const auto to = find(is, sites);
            if (from == to) continue;
            const auto whom = sites.empty() ? std::string() : " for clients that prefer " + sites;
            out.push_back(
                {name.first,
                 name.second,
                 from.empty() ? "" : from + whom,
                 to.empty() ? "" : to + whom}
            );
        }
    }
    return out;
}

}  // namespace twinsite::gslb::control
