// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/definition.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::monitor::action {
namespace {

namespace config = base::config;
namespace text = base::text;
using std::chrono::milliseconds;

constexpr std::size_t kMaxNameBytes = 64;

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                      c == '-';
           });
}

bool has_control_byte(std::string_view value) {
    return std::any_of(value.begin(), value.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
}

std::vector<std::string> parse_words(config::Cursor at) {
    std::vector<std::string> out;
    for (auto& item : at.items()) {
        out.push_back(item.value<std::string>());
        if (has_control_byte(out.back())) item.error("must not hold control characters");
    }
    return out;
}

Parameter parse_range(config::Cursor at) {
    IntegerRange out;
    out.min = at.required<std::int64_t>("min");
    out.max = at.required<std::int64_t>("max");
    if (out.min > out.max) at.error("'min' is above 'max'");
    at.finish();
    return out;
}

Parameter parse_pattern(config::Cursor at) {
    Pattern out;
    out.text = at.value<std::string>();
    try {
        // The matcher that never goes back: a pattern cannot be made to take for ever.
        out.compiled = std::regex(
            out.text, std::regex_constants::ECMAScript | std::regex_constants::__polynomial
        );
    } catch (const std::regex_error&) {
        at.error("is not a regular expression that can be used here (ECMAScript, no \\1)");
    }
    return out;
}

Parameter parse_parameter(config::Cursor at) {
    std::optional<Parameter> out;
    int kinds = 0;
    if (auto words = at.find("one_of")) {
        OneOf one_of{parse_words(*words)};
        if (one_of.words.empty()) words->error("must list at least one word");
        out = std::move(one_of);
        ++kinds;
    }
    if (auto range = at.find("integer")) {
        out = parse_range(*range);
        ++kinds;
    }
    if (auto pattern = at.find("pattern")) {
        out = parse_pattern(*pattern);
        ++kinds;
    }
    if (kinds != 1) at.error("must have exactly one of 'one_of', 'integer' and 'pattern'");
    at.finish();
    return out.value_or(OneOf{});
}

/// Calls `literal` and `parameter` with the pieces of an argument; false when a "{" is not the
/// begin of a "{name}".
template <class Literal, class Named>
bool walk(std::string_view argument, Literal literal, Named named) {
    while (!argument.empty()) {
        const auto open = argument.find('{');
        literal(argument.substr(0, open));
        if (open == std::string_view::npos) return true;
        const auto close = argument.find('}', open);
        if (close == std::string_view::npos) return false;
        if (!named(argument.substr(open + 1, close - open - 1))) return false;
        argument.remove_prefix(close + 1);
    }
    return true;
}

void check_arguments(const Action& action, const config::Cursor& at) {
    if (action.command.empty() || !action.command.front().starts_with('/'))
        return at.error("'command' must begin with the absolute path of a program");
    if (action.command.front().find('{') != std::string::npos)
        return at.error("the program of 'command' must not depend on parameters");
    for (const auto& argument : action.command) {
        const bool good = walk(
            argument,
            [](std::string_view) {},
            [&](std::string_view name) { return action.parameters.contains(std::string(name)); }
        );
        if (!good) at.error("'" + argument + "' names no parameter of the action");
    }
}

Action parse_action(config::Cursor at) {
    Action out;
    out.name = at.required<std::string>("name");
    if (!is_name(out.name)) at.error("'name' must be 1 to 64 of a-z 0-9 . _ -");
    auto command = at.child("command");
    if (command.exists()) out.command = parse_words(command);
    if (auto parameters = at.find("parameters"))
        for (auto& [name, value] : parameters->entries()) {
            if (!is_name(name)) value.error("the name must be 1 to 64 of a-z 0-9 . _ -");
            out.parameters.emplace(name, parse_parameter(value));
        }
    out.user = at.optional<std::string>("user", {});
    out.timeout = at.in_range("timeout", milliseconds(100), std::chrono::hours(1), out.timeout);
    out.max_parallel = at.in_range("max_parallel", 1, 64, out.max_parallel);
    out.min_gap = at.in_range("min_gap", milliseconds(0), std::chrono::hours(24), out.min_gap);
    at.finish();
    check_arguments(out, at);
    return out;
}

bool allows(const Parameter& parameter, const std::string& value) {
    if (const auto* one_of = std::get_if<OneOf>(&parameter))
        return std::find(one_of->words.begin(), one_of->words.end(), value) != one_of->words.end();
    if (const auto* range = std::get_if<IntegerRange>(&parameter)) {
        const auto number = text::parse_number<std::int64_t>(value);
        // Only the one way to write a number: no "+1", no "007".
        return number && *number >= range->min && *number <= range->max &&
               std::to_string(*number) == value;
    }
    const auto& pattern = std::get<Pattern>(parameter);
    return !value.starts_with('-') && std::regex_match(value, pattern.compiled);
}

std::optional<Refusal> find_problem(
    const Action& action, const std::map<std::string, std::string>& values
) {
    for (const auto& [name, value] : values) {
        const auto parameter = action.parameters.find(name);
        if (parameter == action.parameters.end())
            return Refusal{
                "unknown_parameter",
                action.name + " has no parameter '" + text::printable(name) + "'"
            };
        if (value.size() > kMaxValueBytes)
            return Refusal{"bad_parameter", "the value of '" + name + "' is too long"};
        if (has_control_byte(value))
            return Refusal{
                "control_byte", "the value of '" + name + "' holds a line break or control byte"
            };
        if (!allows(parameter->second, value))
            return Refusal{
                "bad_parameter",
                "the value '" + text::printable(value) + "' of '" + name + "' is not allowed"
            };
    }
    for (const auto& [name, parameter] : action.parameters)
        if (!values.contains(name))
            return Refusal{"missing_parameter", "the parameter '" + name + "' is missing"};
    return std::nullopt;
}

}  // namespace

Actions parse_actions(config::Cursor root) {
    Actions out;
    auto list = root.child("actions");
    if (list.exists())
        for (auto& item : list.items()) {
            auto action = parse_action(item);
            const auto name = action.name;
            if (!out.emplace(name, std::move(action)).second)
                item.error("a second action '" + name + "'");
        }
    root.finish();
    return out;
}

std::variant<std::vector<std::string>, Refusal> bind(
    const Action& action, const std::map<std::string, std::string>& values
) {
    if (auto problem = find_problem(action, values)) return *std::move(problem);
    std::vector<std::string> out;
    for (const auto& argument : action.command) {
        std::string bound;
        walk(
            argument,
            [&](std::string_view literal) { bound += literal; },
            [&](std::string_view name) {
                bound += values.at(std::string(name));
                return true;
            }
        );
        out.push_back(std::move(bound));
    }
    return out;
}

}  // namespace twinsite::monitor::action
