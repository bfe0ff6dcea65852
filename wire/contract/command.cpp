// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/command.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "wire/contract/identity.hpp"
#include "wire/contract/json_object.hpp"

namespace twinsite::wire::contract {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxOpIdBytes = 64;
constexpr std::size_t kMaxSignatureBytes = 256;
// A few whole outputs of 64 KiB, of which each byte may become "\u0001" in JSON.
constexpr std::size_t kMaxMessageBytes = 1024 * 1024;
constexpr std::array<std::string_view, 6> kStates = {
    "accepted", "running", "done", "refused", "lost", "never_seen"
};

std::optional<CommandState> parse_state(std::string_view text) {
    for (std::size_t at = 0; at < kStates.size(); ++at)
        if (kStates[at] == text) return static_cast<CommandState>(at);
    return std::nullopt;
}

bool is_op_id_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/// "12:text\n": a length before each text, so that no text can pass for two.
void append(std::string& out, std::string_view text) {
    out += std::to_string(text.size());
    out += ':';
    out += text;
    out += '\n';
}

void append(std::string& out, std::uint64_t number) {
    append(out, std::to_string(number));
}

json::object to_json(const Command& command) {
    json::object params;
    for (const auto& [name, value] : command.params)
        params[clean_text(name, kMaxNameBytes)] = clean_text(value, kMaxTextBytes);
    return {
        {"op_id", command.op_id},
        {"agent", command.agent},
        {"action", clean_text(command.action, kMaxNameBytes)},
        {"params", std::move(params)},
        {"fence", to_json(command.fence)},
        {"issued_wall_ms", command.issued_wall_ms},
        {"valid_for_ms", command.valid_for_ms},
        {"age_ms", command.age_ms},
        {"server", clean_text(command.server, kMaxTextBytes)},
        {"signature", command.signature},
        {"certificate", clean_text(command.certificate, kMaxCertificateBytes)},
    };
}

json::object to_json(const CommandResult& result) {
    return {
        {"op_id", result.op_id},
        {"agent", result.agent},
        {"state", to_string(result.state)},
        {"rc", result.rc},
        {"output", clean_text(result.output, kMaxOutputBytes)},
        {"reason", clean_text(result.reason, kMaxTextBytes)},
        {"started_wall_ms", result.started_wall_ms},
        {"duration_ms", result.duration_ms},
    };
}

void read_parameters(const json::object& members, JsonObject& at, Command& out) {
    if (members.size() > kMaxParameters) return at.fail(Errc::too_large);
    for (const auto& [name, value] : members) {
        const auto* text = value.if_string();
        if (text == nullptr) return at.fail(Errc::bad_member);
        if (name.size() > kMaxNameBytes || text->size() > kMaxTextBytes)
            return at.fail(Errc::too_large);
        out.params.emplace(std::string(name), std::string(text->data(), text->size()));
    }
}

/// Operation and agent: both become parts of keys, so they are checked here, once for all.
void read_operation(JsonObject& at, std::string& op_id, std::string& agent) {
    op_id = at.text("op_id", kMaxOpIdBytes);
    agent = at.text("agent", kMaxNameBytes);
    if (!at.failure() && (!is_op_id(op_id) || !agent_of(agent))) at.fail(Errc::bad_member);
}

base::Result<Command> read_command(const json::value& value) {
    JsonObject at(value);
    Command out;
    read_operation(at, out.op_id, out.agent);
    out.action = at.text("action", kMaxNameBytes);
    out.fence = at.fence_or_zero("fence");
    out.issued_wall_ms = at.number_or_zero("issued_wall_ms");
    out.valid_for_ms = at.number("valid_for_ms");
    out.age_ms = at.number_or_zero("age_ms");
    out.server = at.text("server", kMaxTextBytes);
    out.signature = at.text("signature", kMaxSignatureBytes);
    out.certificate = at.text("certificate", kMaxCertificateBytes);
    if (const auto* params = at.object("params")) read_parameters(*params, at, out);
    if (at.failure()) return *at.failure();
    return out;
}

base::Result<CommandResult> read_result(const json::value& value) {
    JsonObject at(value);
    CommandResult out;
    read_operation(at, out.op_id, out.agent);
    const auto state = parse_state(at.text("state", kMaxNameBytes));
    const auto rc = at.signed_or_zero("rc");
    if (!state || rc < std::numeric_limits<int>::min() || rc > std::numeric_limits<int>::max())
        at.fail(Errc::bad_member);
    out.state = state.value_or(CommandState::never_seen);
    out.rc = static_cast<int>(rc);
    out.output = at.text_or_empty("output", kMaxOutputBytes);
    out.reason = at.text_or_empty("reason", kMaxTextBytes);
    out.started_wall_ms = at.number_or_zero("started_wall_ms");
    out.duration_ms = at.number_or_zero("duration_ms");
    if (at.failure()) return *at.failure();
    return out;
}

template <class Item>
std::string encode_list(std::string_view name, const std::vector<Item>& items) {
    json::array list;
    for (const auto& item : items) list.push_back(to_json(item));
    json::object out{{"schema", 1}};
    out[name] = std::move(list);
    return json::serialize(out);
}

template <class Item>
base::Result<std::vector<Item>> decode_list(
    std::string_view text, std::string_view name, base::Result<Item> (*read)(const json::value&)
) {
    const auto value = parse_message(text, kMaxMessageBytes);
    if (!value) return value.error();
    JsonObject at(*value);
    std::vector<Item> out;
    const auto* list = at.list(name, kMaxCommands);
    if (at.failure()) return *at.failure();
    if (list == nullptr) return Errc::bad_member;
    for (const auto& item : *list) {
        auto read_item = read(item);
        if (!read_item) return read_item.error();
        out.push_back(std::move(*read_item));
    }
    return out;
}

}  // namespace

bool is_op_id(std::string_view text) {
    return !text.empty() && text.size() <= kMaxOpIdBytes &&
           std::all_of(text.begin(), text.end(), is_op_id_character);
}

std::string signing_bytes(const Command& command) {
    std::string out = "twinsite-command-1\n";
    append(out, command.op_id);
    append(out, command.agent);
    append(out, command.action);
    append(out, command.params.size());
    for (const auto& [name, value] : command.params) {
        append(out, name);
        append(out, value);
    }
    append(out, command.fence.generation);
    append(out, command.fence.revision);
    append(out, command.issued_wall_ms);
    append(out, command.valid_for_ms);
    append(out, command.server);
    return out;
}

std::string_view to_string(CommandState state) {
    return kStates[static_cast<std::size_t>(state)];
}

bool is_final(CommandState state) {
    return state == CommandState::done || state == CommandState::refused ||
           state == CommandState::lost;
}

std::string encode_commands(const std::vector<Command>& commands) {
    return encode_list("commands", commands);
}

base::Result<std::vector<Command>> decode_commands(std::string_view text) {
    return decode_list<Command>(text, "commands", read_command);
}

std::string encode_results(const std::vector<CommandResult>& results) {
    return encode_list("results", results);
}

base::Result<std::vector<CommandResult>> decode_results(std::string_view text) {
    return decode_list<CommandResult>(text, "results", read_result);
}

std::string encode_result(const CommandResult& result) {
    auto out = to_json(result);
    out["schema"] = 1;
    return json::serialize(out);
}

base::Result<CommandResult> decode_result(std::string_view text) {
    const auto value = parse_message(text, kMaxMessageBytes);
    if (!value) return value.error();
    return read_result(*value);
}

}  // namespace twinsite::wire::contract
