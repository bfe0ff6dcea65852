// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "switchover/scenario/expression.hpp"
#include "switchover/scenario/names.hpp"
#include "switchover/scenario/scenario.hpp"

/// What the language knows: actions with their parameters, facts with their arguments.
namespace twinsite::switchover::scenario {

/// What a word must be.
enum class Word {
    site,
    host,
    site_or_host,
    member,
    service,
    name,
    domain,
    integer,
    duration,
    prose
};

struct ParameterRule {
    std::string name;
    Word word = Word::name;
    bool required = true;
    std::vector<std::string> one_of;  ///< Empty: any that `word` allows.
    std::int64_t low = 0;             ///< integer; duration in ms
    std::int64_t high = 0;
};

struct ActionRule {
    std::string name;
    std::vector<ParameterRule> parameters;
    bool open = false;  ///< Any further parameter is handed on (agent.run).
};

enum class Truth { yes_no, words, number, site };

struct FactRule {
    std::string name;
    std::vector<Word> arguments;
    Truth value = Truth::yes_no;
    std::vector<std::string> words;
    bool judged = false;  ///< The judge knows it at any time: may stand in a trigger.
};

const std::vector<ActionRule>& actions();
const std::vector<FactRule>& facts();
const ActionRule* find_action(const std::string& name);
const FactRule* find_fact(const std::string& name);

/// What is wrong with a word, empty when nothing is. `known` gets the names it may be, if it names
/// something.
std::string wrong_word(
    Word word, const std::string& value, const Names& names, std::vector<std::string>& known
);
/// "site", "host", ... for messages.
const char* to_string(Word word);

/// Whether the expression asks for a fact of ours with right arguments and a value it can have;
/// else says what is wrong, and which names would be known.
struct Misuse {
    std::string text;  ///< Empty: all is well. With `known`: what kind of name is unknown.
    std::string name;
    std::vector<std::string> known;
};
Misuse check_expression(const Expression& expression, const Names& names);

/// 1..63 of letters, digits and . - _
bool is_name(const std::string& text);

}  // namespace twinsite::switchover::scenario
