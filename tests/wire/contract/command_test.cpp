// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/command.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::wire::contract {
namespace {

Command make_command() {
    Command out;
    out.op_id = "run-1.step_2-3";
    out.agent = "east/if1";
    out.action = "module.restart";
    out.params = {{"module", "charging"}, {"wait", "5"}};
    out.fence = {1, 7};
    out.issued_wall_ms = 100;
    out.valid_for_ms = 30'000;
    out.age_ms = 12;
    out.server = "twinsite://arbiter/switchover/sw";
    out.signature = "c2ln";
    out.certificate = "-----BEGIN CERTIFICATE-----\n";
    return out;
}

TEST(Command, SurvivesBeingWrittenAndRead) {
    const auto decoded = decode_commands(encode_commands({make_command()}));
    ASSERT_TRUE(decoded);
    ASSERT_EQ(decoded->size(), 1U);
    const auto& command = decoded->front();
    EXPECT_EQ(command.op_id, "run-1.step_2-3");
    EXPECT_EQ(command.params, make_command().params);
    EXPECT_EQ(command.age_ms, 12U);
    EXPECT_EQ(command.signature, "c2ln");
    EXPECT_EQ(command.certificate, make_command().certificate);
    EXPECT_EQ(signing_bytes(command), signing_bytes(make_command()));
}

TEST(Command, SigningBytesCoverEverythingButAgeAndSignature) {
    std::set<std::string> seen = {signing_bytes(make_command())};
    const auto differs = [&](auto change) {
        auto command = make_command();
        change(command);
        return seen.insert(signing_bytes(command)).second;
    };
    EXPECT_TRUE(differs([](Command& command) { command.op_id = "x"; }));
    EXPECT_TRUE(differs([](Command& command) { command.agent = "east/if2"; }));
    EXPECT_TRUE(differs([](Command& command) { command.action = "x"; }));
    EXPECT_TRUE(differs([](Command& command) { command.params["module"] = "x"; }));
    EXPECT_TRUE(differs([](Command& command) { command.params.erase("wait"); }));
    EXPECT_TRUE(differs([](Command& command) { command.params.clear(); }));
    EXPECT_TRUE(differs([](Command& command) { command.fence.generation = 2; }));
    EXPECT_TRUE(differs([](Command& command) { command.fence.revision = 8; }));
    EXPECT_TRUE(differs([](Command& command) { command.issued_wall_ms = 101; }));
    EXPECT_TRUE(differs([](Command& command) { command.valid_for_ms = 1; }));
    EXPECT_TRUE(differs([](Command& command) { command.server = "x"; }));
    EXPECT_FALSE(differs([](Command& command) { command.age_ms = 99; }));
    EXPECT_FALSE(differs([](Command& command) { command.signature = "x"; }));
    EXPECT_FALSE(differs([](Command& command) { command.certificate = "x"; }));
}

TEST(Command, NoTextCanPassForTwoInTheSigningBytes) {
    auto one = make_command();
    one.params = {{"a", "1\n1:b\n1:2"}};
    auto two = make_command();
    two.params = {{"a", "1"}, {"b", "2"}};
    EXPECT_NE(signing_bytes(one), signing_bytes(two));
}

TEST(Command, OperationAndAgentAreChecked) {
    for (const char* id : {"", "a b", "a/b", "a\nb", "\xc3\xa4"}) EXPECT_FALSE(is_op_id(id)) << id;
    EXPECT_TRUE(is_op_id(std::string(64, 'x')));
    EXPECT_FALSE(is_op_id(std::string(65, 'x')));
    auto command = make_command();
    command.op_id = "../x";
    EXPECT_FALSE(decode_commands(encode_commands({command})));
    command = make_command();
    command.agent = "if1";
    EXPECT_FALSE(decode_commands(encode_commands({command})));
}

TEST(Command, ListsAreBounded) {
    EXPECT_FALSE(decode_commands(R"({"schema":1})"));
    EXPECT_TRUE(decode_commands(R"({"schema":1,"commands":[]})")->empty());
    std::string many = R"({"schema":1,"commands":[)";
    for (std::size_t count = 0; count <= kMaxCommands; ++count) many += count == 0 ? "1" : ",1";
    EXPECT_FALSE(decode_commands(many + "]}"));
    auto command = make_command();
    for (std::size_t count = 0; count <= kMaxParameters; ++count)
        command.params["p" + std::to_string(count)] = "x";
    EXPECT_FALSE(decode_commands(encode_commands({command})));
}

TEST(CommandResult, SurvivesBeingWrittenAndRead) {
    CommandResult result;
    result.op_id = "op";
    result.agent = "east/if1";
    result.state = CommandState::done;
    result.rc = -1;
    result.output = "line\n\x01\xff";
    result.reason = "timed_out: x";
    result.started_wall_ms = 7;
    result.duration_ms = 8;
    const auto decoded = decode_results(encode_results({result}));
    ASSERT_TRUE(decoded);
    ASSERT_EQ(decoded->size(), 1U);
    EXPECT_EQ(decoded->front().state, CommandState::done);
    EXPECT_EQ(decoded->front().rc, -1);
    EXPECT_EQ(decoded->front().output, "line\n\x01?") << "bytes that are not UTF-8 are mended";
    EXPECT_EQ(decode_result(encode_result(result))->duration_ms, 8U);
}

TEST(CommandResult, OutputIsCut) {
    CommandResult result;
    result.op_id = "op";
    result.agent = "east/if1";
    result.output = std::string(2 * kMaxOutputBytes, 'x');
    EXPECT_EQ(decode_result(encode_result(result))->output.size(), kMaxOutputBytes);
}

TEST(CommandResult, FinalStatesDoNotChange) {
    EXPECT_TRUE(is_final(CommandState::done));
    EXPECT_TRUE(is_final(CommandState::refused));
    EXPECT_TRUE(is_final(CommandState::lost));
    EXPECT_FALSE(is_final(CommandState::accepted));
    EXPECT_FALSE(is_final(CommandState::running));
    EXPECT_FALSE(is_final(CommandState::never_seen));
}

}  // namespace
}  // namespace twinsite::wire::contract
