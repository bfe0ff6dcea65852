// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinsite::switchover::scenario {

enum class Comparator { is_true, equal, not_equal, less, at_most, more, at_least };

/// A condition or check as it is written: "site.down(east)",
/// "dns.answer(ocs.example.net, east) == west", "slb.clients(west) <= 10".
struct Expression {
    std::string name;                    ///< "dns.answer"
    std::vector<std::string> arguments;  ///< {"ocs.example.net", "east"}
    Comparator comparator = Comparator::is_true;
    std::string value;  ///< Right of the comparator; empty with is_true.
    std::string text;   ///< The normal form of the whole.

    /// The fact that is asked for, "dns.answer(ocs.example.net,east)".
    std::string fact() const;
    bool operator==(const Expression&) const = default;
};

/// nullopt, with `why` filled, for anything that does not have this form. At most 512 bytes.
std::optional<Expression> parse_expression(std::string_view text, std::string& why);

/// Whether the fact, whose value now is `actual`, is as wanted. is_true wants "true" or "yes".
/// Words are the same in upper and lower case. Order is by number: a text that is not a number is
/// never less or more than anything.
bool satisfied(const Expression& wanted, std::string_view actual);

}  // namespace twinsite::switchover::scenario
