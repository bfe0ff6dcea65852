// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twinsite::monitor::action {

/// Why a command is not carried out. `code` is a stable word (docs/protocol/agent.md), `text` is
/// for people.
struct Refusal {
    std::string code;
    std::string text;
};
/// "code: text", as in the reason of a result.
inline std::string to_string(const Refusal& refusal) {
    return refusal.code + ": " + refusal.text;
}

}  // namespace twinsite::monitor::action
