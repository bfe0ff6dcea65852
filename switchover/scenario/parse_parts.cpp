// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/parse_parts.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "switchover/scenario/registry.hpp"

namespace twinsite::switchover::scenario {

namespace text = base::text;

namespace {

constexpr std::size_t kMaxTextBytes = 1'000;
constexpr std::size_t kMaxParameters = 32;

std::vector<std::string> names_of(const std::vector<ActionRule>& rules) {
    std::vector<std::string> out;
    for (const auto& rule : rules) out.push_back(rule.name);
    return out;
}

void check_number(const Cursor& at, const ParameterRule& rule, std::int64_t value) {
    if (rule.high == 0 || (value >= rule.low && value <= rule.high)) return;
    const bool duration = rule.word == Word::duration;
    const auto show = [&](std::int64_t number) {
        return duration ? text::format_duration(Milliseconds(number)) : std::to_string(number);
    };
    at.error("must be between " + show(rule.low) + " and " + show(rule.high));
}

void check_parameter(
    const Cursor& at, const ParameterRule& rule, const std::string& value, const Names& names
) {
    if (!rule.one_of.empty()) {
        if (std::find(rule.one_of.begin(), rule.one_of.end(), value) == rule.one_of.end())
            at.unknown(rule.name, value, rule.one_of);
        return;
    }
    std::vector<std::string> known;
    const auto wrong = wrong_word(rule.word, value, names, known);
    if (!known.empty() && !wrong.empty())
        at.unknown(wrong, value, known);
    else if (!wrong.empty())
        at.error(wrong);
    else if (rule.word == Word::integer)
        check_number(at, rule, text::parse_number<std::int64_t>(value).value_or(0));
    else if (rule.word == Word::duration)
        check_number(at, rule, text::parse_duration(value)->count());
}

/// `${run.id}` and the like are filled in when the run starts; other names are a slip.
void check_placeholders(const Cursor& at, const std::string& value) {
    for (auto open = value.find("${"); open != std::string::npos;
         open = value.find("${", open + 2)) {
        const auto close = value.find('}', open);
        const auto name = close == std::string::npos ? value.substr(open + 2)
                                                     : value.substr(open + 2, close - open - 2);
        const std::vector<std::string> known{"run.id", "run.by", "run.reason", "scenario", "site"};
        if (std::find(known.begin(), known.end(), name) == known.end())
            at.unknown("placeholder", name, known);
    }
}

/// What an agent's action gets beside `action` and `host`: its own file says what is right.
void parse_open_parameters(Cursor& at, const ActionRule& rule, Action& into) {
    for (auto& [key, value] : at.entries()) {
        const auto same = [&name = key](const ParameterRule& r) { return r.name == name; };
        if (std::any_of(rule.parameters.begin(), rule.parameters.end(), same)) continue;
        const auto word = value.value<std::string>();
        if (!is_name(key) || into.parameters.size() >= kMaxParameters)
            value.error("an action has at most 32 parameters, named by letters, digits and . - _");
        else if (word.size() > kMaxTextBytes)
            value.error("must be at most 1000 bytes");
        else
            into.parameters[key] = word;
    }
}

void parse_parameters(Cursor& at, const ActionRule& rule, const Names& known, Action& into) {
    for (const auto& parameter : rule.parameters) {
        auto value = parameter.required ? at.child(parameter.name) : Cursor(at);
        if (!parameter.required) {
            auto found = at.find(parameter.name);
            if (!found) continue;
            value = *found;
        }
        if (!value.exists()) continue;
        const auto word = value.value<std::string>();
        check_parameter(value, parameter, word, known);
        if (parameter.word == Word::prose) check_placeholders(value, word);
        into.parameters[parameter.name] = word;
    }
    if (rule.open) parse_open_parameters(at, rule, into);
    at.finish();
}

void report(const Cursor& at, const Misuse& misuse) {
    if (!misuse.known.empty())
        at.unknown(misuse.text, misuse.name, misuse.known);
    else
        at.error(misuse.text);
}

}  // namespace

std::vector<Cursor> bounded_items(Cursor at) {
    auto out = at.items();
    if (out.size() > kMaxList) {
        at.error("a list has at most " + std::to_string(kMaxList) + " items");
        out.erase(out.begin() + kMaxList, out.end());
    }
    return out;
}

std::vector<std::string> parse_words(Cursor at) {
    std::vector<std::string> out;
    for (auto& item : bounded_items(at)) out.push_back(item.value<std::string>());
    return out;
}

void check_id(const Cursor& at, const std::string& id, std::size_t longest) {
    const bool good =
        !id.empty() && id.size() <= longest && std::all_of(id.begin(), id.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        });
    if (!good)
        at.error("must be 1 to " + std::to_string(longest) + " of the letters a-z, digits and '-'");
}

Text parse_text(Cursor at) {
    Text out;
    if (!at.is_map()) {
        out.en = out.zh = at.value<std::string>();
    } else {
        out.en = at.required<std::string>("en");
        out.zh = at.optional<std::string>("zh", out.en);
        at.finish();
    }
    if (out.en.size() > kMaxTextBytes || out.zh.size() > kMaxTextBytes)
        at.error("must be at most 1000 bytes");
    return out;
}

std::vector<Expression> parse_expressions(Cursor at, const Names& known, Use use) {
    std::vector<Expression> out;
    for (auto& item : bounded_items(at)) {
        std::string why;
        auto expression = parse_expression(item.value<std::string>(), why);
        if (!expression) {
            item.error(why);
            continue;
        }
        const auto misuse = check_expression(*expression, known);
        if (!misuse.text.empty()) {
            report(item, misuse);
        } else if (use == Use::trigger && !find_fact(expression->name)->judged) {
            item.error("'" + expression->name + "' is asked only while a run is on: not here");
        } else {
            out.push_back(std::move(*expression));
        }
    }
    return out;
}

Action parse_action(Cursor at, const Names& known, bool host_given) {
    Action out;
    auto entries = at.entries();
    if (entries.size() != 1) {
        if (at.is_map()) at.error("must hold exactly one action");
        return out;
    }
    auto& [name, parameters] = entries.front();
    const auto* rule = find_action(name);
    if (rule == nullptr) {
        parameters.unknown("action", name, names_of(actions()));
        return out;
    }
    out.name = name;
    if (!parameters.is_map()) {
        parameters.error("must be a map of the action's parameters");
        return out;
    }
    parse_parameters(parameters, *rule, known, out);
    if (name == "agent.run" && host_given == out.parameters.contains("host"))
        parameters.error("needs either 'host' here or 'each' beside it");
    return out;
}

OnFail parse_on_fail(Cursor& at, OnFail fallback) {
    return static_cast<OnFail>(at.one_of(
        "on_fail",
        {"pause", "continue", "ignore", "abort", "rollback"},
        static_cast<std::size_t>(fallback)
    ));
}

}  // namespace twinsite::switchover::scenario
