// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/verdicts.hpp"

#include <array>

namespace twinsite::switchover::judge {

namespace {

template <std::size_t Size, class Word>
std::string_view word(const std::array<std::string_view, Size>& words, Word value) {
    return words[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view to_string(Truth truth) noexcept {
    static constexpr std::array<std::string_view, 3> kWords{"no", "yes", "unknown"};
    return word(kWords, truth);
}

std::string_view to_string(MemberKind kind) noexcept {
    static constexpr std::array<std::string_view, 3> kWords{"gslb", "slb", "monitor"};
    return word(kWords, kind);
}

std::string_view to_string(Sees sees) noexcept {
    static constexpr std::array<std::string_view, 3> kWords{"unknown", "up", "down"};
    return word(kWords, sees);
}

std::string_view to_string(Local local) noexcept {
    static constexpr std::array<std::string_view, 4> kWords{"unknown", "ok", "failed", "silent"};
    return word(kWords, local);
}

std::string_view to_string(EntityKind kind) noexcept {
    static constexpr std::array<std::string_view, 5> kWords{
        "site", "host", "process", "member", "service"
    };
    return word(kWords, kind);
}

}  // namespace twinsite::switchover::judge
