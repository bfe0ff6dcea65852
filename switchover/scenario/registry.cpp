// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/registry.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::switchover::scenario {

namespace text = base::text;
using Words = std::vector<std::string>;

namespace {

constexpr std::int64_t kHourMs = 3'600'000;

std::vector<ActionRule> make_actions() {
    const ParameterRule site{"site", Word::site, true, {}, 0, 0};
    const ParameterRule blade{"blade", Word::name, true, {}, 0, 0};
    return {
        {"gslb.set",
         {site,
          {"state", Word::name, true, {"in", "out", "drain"}, 0, 0},
          {"service", Word::service, false, {}, 0, 0}},
         false},
        {"slb.drain", {site, blade}, false},
        {"slb.activate", {site, blade}, false},
        {"slb.release", {site, {"rate", Word::integer, false, {}, 1, 1'000}}, false},
        {"agent.run",
         {{"action", Word::name, true, {}, 0, 0}, {"host", Word::host, false, {}, 0, 0}},
         true},
        {"notify", {{"text", Word::prose, true, {}, 0, 0}}, false},
        {"wait", {{"for", Word::duration, true, {}, 1, kHourMs}}, false},
    };
}

std::vector<FactRule> make_facts() {
    const Words states{"UNKNOWN", "OK", "SUSPECT", "FAILED", "RECOVERING"};
    std::vector<FactRule> out;
    const auto judged = [&](const char* kind, std::vector<Word> arguments, const Words& words) {
        out.push_back({std::string(kind) + ".state", arguments, Truth::words, states, true});
        for (const auto& word : words)
            out.push_back({std::string(kind) + "." + word, arguments, Truth::yes_no, {}, true});
    };
    judged(
        "site",
        {Word::site},
        {"down", "ok", "ready", "silent", "flapping", "bad", "outside", "other_ok"}
    );
    judged("host", {Word::host}, {"ok", "stale"});
    judged("process", {Word::site_or_host, Word::name}, {"down", "ok", "sister_ok"});
    judged("member", {Word::member}, {"reachable", "in_sync"});
    judged("business", {Word::service}, {"good", "bad"});
    out.insert(
        out.end(),
        {{"judge.blind", {}, Truth::yes_no, {}, true},
         {"gslb.applied", {Word::site}, Truth::words, {"in", "out", "drain"}, false},
         {"slb.applied", {Word::site, Word::name}, Truth::words, {"active", "drain"}, false},
         {"slb.clients", {Word::site}, Truth::number, {}, false},
         {"dns.answer", {Word::domain, Word::site}, Truth::site, {}, false}}
    );
    return out;
}

bool contains(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

template <class Rule>
const Rule* find_rule(const std::vector<Rule>& rules, const std::string& name) {
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
    return found == rules.end() ? nullptr : &*found;
}

Words host_ids(const Names& names) {
    Words out;
    for (const auto& host : names.hosts) out.push_back(host.id);
    return out;
}

bool is_domain(const std::string& name) {
    if (name.empty() || name.size() > 253) return false;
    for (const auto label : text::split(name, '.'))
        if (label.empty() || label.size() > 63) return false;
    return name.find('/') == std::string::npos;
}

Misuse wrong_value(const FactRule& rule, const Expression& expression, const Names& names) {
    const bool compared = expression.comparator != Comparator::is_true;
    const bool ordered = compared && expression.comparator != Comparator::equal &&
                         expression.comparator != Comparator::not_equal;
    switch (rule.value) {
        case Truth::yes_no:
            if (compared &&
                (ordered || (expression.value != "true" && expression.value != "false")))
                return {"is true or false: write '" + rule.name + "(...)' alone", {}, {}};
            return {};
        case Truth::number:
            if (!compared || !text::parse_double(expression.value))
                return {"is a number: compare it with one", {}, {}};
            return {};
        case Truth::words:
        case Truth::site:
            break;
    }
    if (!compared || ordered) return {"is a word: compare it with == or !=", {}, {}};
    const auto& known = rule.value == Truth::site ? names.sites : rule.words;
    const auto is_it = [&](const std::string& word) {
        return rule.value == Truth::site ? word == expression.value
                                         : text::equals_ignoring_case(word, expression.value);
    };
    if (std::none_of(known.begin(), known.end(), is_it))
        return {rule.value == Truth::site ? "site" : "value", expression.value, known};
    return {};
}

}  // namespace

const std::vector<ActionRule>& actions() {
    static const auto rules = make_actions();
    return rules;
}
const std::vector<FactRule>& facts() {
    static const auto rules = make_facts();
    return rules;
}
const ActionRule* find_action(const std::string& name) {
    return find_rule(actions(), name);
}
const FactRule* find_fact(const std::string& name) {
    return find_rule(facts(), name);
}

const char* to_string(Word word) {
    switch (word) {
        case Word::site:
            return "site";
        case Word::host:
            return "host";
        case Word::site_or_host:
            return "site or host";
        case Word::member:
            return "member";
        case Word::service:
            return "service";
        case Word::name:
            return "name";
        case Word::domain:
            return "domain name";
        case Word::integer:
            return "number";
        case Word::duration:
            return "duration";
        case Word::prose:
            return "text";
    }
    return "";
}

bool is_name(const std::string& name) {
    if (name.empty() || name.size() > 63) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
}

std::string wrong_word(
    Word word, const std::string& value, const Names& names, std::vector<std::string>& known
) {
    switch (word) {
        case Word::site:
            known = names.sites;
            break;
        case Word::host:
            known = host_ids(names);
            break;
        case Word::site_or_host:
            known = host_ids(names);
            known.insert(known.begin(), names.sites.begin(), names.sites.end());
            break;
        case Word::member:
            known = names.members;
            break;
        case Word::service:
            known = names.services;
            break;
        case Word::name:
            return is_name(value) ? "" : "must be a name of letters, digits and . - _";
        case Word::domain:
            return is_domain(value) ? "" : "must be a domain name";
        case Word::integer:
            return text::parse_number<std::int64_t>(value) ? "" : "must be a whole number";
        case Word::duration:
            return text::parse_duration(value) ? "" : "must be a duration, for example 2s";
        case Word::prose:
            return value.size() <= 1'000 ? "" : "must be at most 1000 bytes";
    }
    return contains(known, value) ? "" : to_string(word);
}

Misuse check_expression(const Expression& expression, const Names& names) {
    const auto* rule = find_fact(expression.name);
    if (rule == nullptr) {
        Misuse out{"check", expression.name, {}};
        for (const auto& each : facts()) out.known.push_back(each.name);
        return out;
    }
    if (expression.arguments.size() != rule->arguments.size()) {
        Words wanted;
        for (const auto word : rule->arguments) wanted.emplace_back(to_string(word));
        return {"has the form " + rule->name + "(" + text::join(wanted, ", ") + ")", {}, {}};
    }
    for (std::size_t i = 0; i < rule->arguments.size(); ++i) {
        Misuse out;
        out.name = expression.arguments[i];
        out.text = wrong_word(rule->arguments[i], out.name, names, out.known);
        if (!out.text.empty()) return out;
    }
    return wrong_value(*rule, expression, names);
}

}  // namespace twinsite::switchover::scenario
