// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/expression.hpp"

#include <array>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::switchover::scenario {

namespace text = base::text;

namespace {

constexpr std::size_t kMaxBytes = 512;
constexpr std::size_t kMaxArguments = 4;

struct Sign {
    std::string_view text;
    Comparator comparator;
};
// Longer ones first: "<=" begins with "<".
constexpr std::array<Sign, 6> kSigns{{
    {"==", Comparator::equal},
    {"!=", Comparator::not_equal},
    {"<=", Comparator::at_most},
    {">=", Comparator::at_least},
    {"<", Comparator::less},
    {">", Comparator::more},
}};

bool is_word(std::string_view word) {
    if (word.empty() || word.size() > 255) return false;
    for (const char c : word) {
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
        if (!good) return false;
    }
    return true;
}

bool read_comparison(std::string_view rest, Expression& into, std::string& why) {
    rest = text::trim(rest);
    if (rest.empty()) return true;
    for (const auto& sign : kSigns) {
        if (!rest.starts_with(sign.text)) continue;
        const auto value = text::trim(rest.substr(sign.text.size()));
        if (!is_word(value)) {
            why = "a word or a number must stand behind '" + std::string(sign.text) + "'";
            return false;
        }
        into.comparator = sign.comparator;
        into.value = std::string(value);
        return true;
    }
    why = "behind ')' only a comparison may stand: == != < <= > >=";
    return false;
}

bool read_arguments(std::string_view inside, Expression& into, std::string& why) {
    if (text::trim(inside).empty()) return true;
    for (const auto part : text::split(inside, ',')) {
        const auto word = text::trim(part);
        if (!is_word(word) || into.arguments.size() == kMaxArguments) {
            why = "between '(' and ')' stand names of letters, digits and . - _ /";
            return false;
        }
        into.arguments.emplace_back(word);
    }
    return true;
}

std::string normal_form(const Expression& expression) {
    std::string out = expression.name + "(" + text::join(expression.arguments, ", ") + ")";
    for (const auto& sign : kSigns)
        if (sign.comparator == expression.comparator)
            out += " " + std::string(sign.text) + " " + expression.value;
    return out;
}

}  // namespace

std::string Expression::fact() const {
    return name + "(" + text::join(arguments, ",") + ")";
}

std::optional<Expression> parse_expression(std::string_view from, std::string& why) {
    Expression out;
    if (from.size() > kMaxBytes) {
        why = "longer than 512 bytes";
        return std::nullopt;
    }
    const auto open = from.find('(');
    const auto close = from.find(')');
    out.name = std::string(text::trim(from.substr(0, open)));
    if (open == std::string_view::npos || !is_word(out.name)) {
        why = "must have the form name(argument), with '== value' behind it where it has a value";
        return std::nullopt;
    }
    if (close == std::string_view::npos || close < open) {
        why = "')' is missing; between [ and ] an expression with a comma needs quotes";
        return std::nullopt;
    }
    if (!read_arguments(from.substr(open + 1, close - open - 1), out, why) ||
        !read_comparison(from.substr(close + 1), out, why))
        return std::nullopt;
    out.text = normal_form(out);
    return out;
}

bool satisfied(const Expression& wanted, std::string_view actual) {
    if (wanted.comparator == Comparator::is_true) return actual == "true" || actual == "yes";
    const auto left = text::parse_double(actual);
    const auto right = text::parse_double(wanted.value);
    const bool numbers = left && right;
    const bool same = numbers ? *left == *right : text::equals_ignoring_case(actual, wanted.value);
    switch (wanted.comparator) {
        case Comparator::equal:
            return same;
        case Comparator::not_equal:
            return !same;
        case Comparator::less:
            return numbers && *left < *right;
        case Comparator::at_most:
            return numbers && *left <= *right;
        case Comparator::more:
            return numbers && *left > *right;
        case Comparator::at_least:
            return numbers && *left >= *right;
        case Comparator::is_true:
            break;
    }
    return false;
}

}  // namespace twinsite::switchover::scenario
