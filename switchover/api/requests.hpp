// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "switchover/api/backend.hpp"

/// The bodies of requests, as values. Pure; every text is bounded and without control characters.
/// Unknown members are refused: a misspelt one must not be lost.
namespace twinsite::switchover::api {

/// What is wrong with a body, as a sentence.
struct BadBody {
    std::string text;
};
template <class T>
using Decoded = std::variant<T, BadBody>;

inline constexpr std::size_t kMaxRequestBytes = 16 * 1024;

struct LoginRequest {
    std::string user;
    std::string password;
};
struct PasswordRequest {
    std::string old_password;
    std::string new_password;
};
struct ModeRequest {
    std::string mode;  ///< auto | semi | off
    std::string reason;
};
struct PauseRequest {
    std::string reason;
    std::optional<std::uint64_t> until_s;  ///< From now; at most 31 days.
};
struct OrderRequest {
    std::string reason;
    std::string step;
    std::string answer;  ///< "", "yes" or "no"
};

Decoded<LoginRequest> decode_login(std::string_view body);
/// The new password has 12 to 256 bytes.
Decoded<PasswordRequest> decode_password(std::string_view body);
Decoded<ModeRequest> decode_mode(std::string_view body);
Decoded<PauseRequest> decode_pause(std::string_view body);
/// Without idempotency_key and digest.
Decoded<RunRequest> decode_run_request(std::string_view body);
/// An empty body is as good as {}.
Decoded<OrderRequest> decode_order(std::string_view body);

/// 1..128 printable ASCII characters without blanks.
bool is_idempotency_key(std::string_view text);

}  // namespace twinsite::switchover::api
