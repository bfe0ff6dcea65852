// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/machine_parts.hpp"

#include <algorithm>

namespace twinsite::switchover::scenario {

namespace {

constexpr std::size_t kMaxWarnings = 50;
constexpr std::size_t kWarningBytes = 256;

/// Bytes of the UTF-8 character at the front (RFC 3629 section 4); 0 when there is none.
std::size_t utf8_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool beyond = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return beyond ? 0 : size;
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t longest) {
    std::string out;
    while (!text.empty()) {
        const auto size = utf8_size(text);
        const auto first = static_cast<unsigned char>(text.front());
        const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
        const auto take = size == 0 || control ? std::string_view("?") : text.substr(0, size);
        if (out.size() + take.size() > longest) break;
        out += take;
        text.remove_prefix(std::max<std::size_t>(1, size));
    }
    return out;
}

void warn(Run& run, const std::string& text) {
    if (run.warnings.size() >= kMaxWarnings) return;
    auto line = clean_text(text, kWarningBytes);
    if (std::find(run.warnings.begin(), run.warnings.end(), line) == run.warnings.end())
        run.warnings.push_back(std::move(line));
}

std::vector<Expression> not_overridden(const Run& run, const std::vector<Expression>& checks) {
    std::vector<Expression> out;
    for (const auto& check : checks) {
        const auto names_it = [&check](const Override& override) {
            return override.rule == check.name || override.rule == check.text;
        };
        if (std::none_of(run.overrides.begin(), run.overrides.end(), names_it))
            out.push_back(check);
    }
    return out;
}

Effect make_check(
    const std::string& op_id,
    const std::string& step,
    std::vector<Expression> checks,
    Milliseconds limit,
    Milliseconds hold
) {
    Effect out;
    out.kind = Effect::Kind::check;
    out.op_id = op_id;
    out.step = step;
    out.checks = std::move(checks);
    out.limit = limit;
    out.hold = hold;
    return out;
}

Event Event::of(Kind kind) {
    Event out;
    out.kind = kind;
    return out;
}

Event Event::result_of(std::string op_id, Outcome outcome, std::string output) {
    Event out;
    out.kind = Kind::result;
    out.op_id = std::move(op_id);
    out.outcome = outcome;
    out.output = std::move(output);
    return out;
}

}  // namespace twinsite::switchover::scenario
