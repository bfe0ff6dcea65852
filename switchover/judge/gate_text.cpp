// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/gate_text.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace twinsite::switchover::judge {

std::string spell(double value) {
    std::array<char, 64> buffer{};
    const auto [end, failure] = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 3
    );
    if (failure != std::errc()) return "?";
    std::string out(buffer.data(), end);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out;
}

std::string spell(Duration duration) {
    const auto ms = duration.count();
    if (ms < 1'000) return std::to_string(ms) + " ms";
    if (ms < 10'000) return spell(static_cast<double>(ms / 100) / 10) + " s";
    if (ms < 300'000) return std::to_string(ms / 1'000) + " s";
    return std::to_string(ms / 60'000) + " min";
}

std::string of(std::uint64_t part, std::uint64_t whole) {
    return std::to_string(part) + " of " + std::to_string(whole);
}

std::optional<std::uint64_t> age(std::optional<Time> measured, Time now) {
    if (!measured) return std::nullopt;
    const auto ms = std::chrono::duration_cast<Duration>(now - *measured).count();
    return ms > 0 ? static_cast<std::uint64_t>(ms) : 0;
}

model::Gate make_gate(
    std::string_view code, bool ok, std::string have, std::string need, std::string text
) {
    model::Gate out;
    out.code = code;
    out.ok = ok;
    out.have = std::move(have);
    out.need = std::move(need);
    out.text = std::move(text);
    return out;
}

}  // namespace twinsite::switchover::judge
