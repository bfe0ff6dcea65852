// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "wire/contract/fence.hpp"

/// Commands to agents and their results, as JSON (docs/protocol/agent.md).
namespace twinsite::wire::contract {

inline constexpr std::size_t kMaxCommands = 1000;          ///< In one answer.
inline constexpr std::size_t kMaxOutputBytes = 64 * 1024;  ///< Output of one action.
inline constexpr std::size_t kMaxCertificateBytes = 16 * 1024;
inline constexpr std::size_t kMaxParameters = 64;

/// A named action that a switchover server asks of one agent.
struct Command {
    std::string op_id;  ///< See `is_op_id`; the same id is the same operation.
    std::string agent;  ///< Host id, "SITE/NAME".
    std::string action;
    std::map<std::string, std::string> params;
    Fence fence;
    std::uint64_t issued_wall_ms = 0;  ///< For display only.
    std::uint64_t valid_for_ms = 0;    ///< Refused when `age_ms` is above.
    std::uint64_t age_ms = 0;          ///< Time since it was issued; relays add what they held.
    std::string server;                ///< Identity URI of the sender.
    std::string signature;             ///< Ed25519 over `signing_bytes`, base64.
    std::string certificate;           ///< PEM of the signing key's certificate (and chain).
};

/// 1..64 of A-Z a-z 0-9 . _ -
bool is_op_id(std::string_view text);

/// What the signature covers: every member but age_ms, signature and certificate. No two different
/// commands have the same bytes.
std::string signing_bytes(const Command& command);

/// State of an operation at its agent.
enum class CommandState : std::uint8_t {
    accepted,
    running,
    done,     ///< Ended; `rc` tells how.
    refused,  ///< Never started; `reason` tells why.
    lost,     ///< Was running when the agent ended; its outcome is unknown.
    never_seen,
};
std::string_view to_string(CommandState state);
/// True for done, refused and lost: the answer will not change any more.
bool is_final(CommandState state);

struct CommandResult {
    std::string op_id;
    std::string agent;
    CommandState state = CommandState::never_seen;
    int rc = 0;          ///< Exit code; 128 + N when signal N ended it.
    std::string output;  ///< Standard output and error, cut at kMaxOutputBytes.
    std::string reason;  ///< Code and words, for example "stale_fence: ..." .
    std::uint64_t started_wall_ms = 0;
    std::uint64_t duration_ms = 0;
};

/// {"schema":1,"commands":[...]}
std::string encode_commands(const std::vector<Command>& commands);
base::Result<std::vector<Command>> decode_commands(std::string_view json);
/// {"schema":1,"results":[...]}
std::string encode_results(const std::vector<CommandResult>& results);
base::Result<std::vector<CommandResult>> decode_results(std::string_view json);
/// One of them alone, for journals.
std::string encode_result(const CommandResult& result);
base::Result<CommandResult> decode_result(std::string_view json);

}  // namespace twinsite::wire::contract
