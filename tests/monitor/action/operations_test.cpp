// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/operations.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/daemon/daemon.hpp"
#include "tests/monitor/servers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::action {
namespace {

namespace fs = std::filesystem;
using base::crypto::Use;
using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::contract::Command;
using wire::contract::CommandResult;
using wire::contract::CommandState;

constexpr const char* kServer = "twinsite://arbiter/switchover/sw";

/// An agent "east/if1" whose action `count` leaves one more line in a file.
class OperationsTest : public ::testing::Test {
protected:
    OperationsTest() : servers_(folder_.path()), server_(servers_.issue(kServer, Use::signing)) {
        std::ofstream script(folder_.file("count.sh"));
        script << "#!/bin/sh\necho \"$1\" >> " << folder_.file("effects") << "\necho did \"$1\"\n";
        script.close();
        fs::permissions(folder_.file("count.sh"), fs::perms(0755));
        clocks_.monotonic = [this] { return now_; };
        clocks_.wall_ms = [this] { return wall_ms_; };
        open();
    }
    ~OperationsTest() override { end(); }

    void open() {
        end();
        Operations::Settings settings;
        settings.agent = "east/if1";
        settings.directory = folder_.path();
        settings.ca = servers_.ca();
        settings.crl = servers_.crl();
        operations_ = std::make_unique<Operations>(
            io_.get_executor(),
            settings,
            clocks_,
            [this](const CommandResult& result) { ended_.push_back(result); }
        );
        operations_->use(actions());
    }

    /// What runs ends before what it refers to; what ends it must run on the loop.
    void end() {
        if (!operations_) return;
        boost::asio::post(io_, [this] { operations_->stop(); });
        io_.restart();
        io_.run_for(milliseconds(50));
        operations_.reset();
    }

    Actions actions() const {
        const auto document = base::config::Document::parse(
            "actions:\n"
            "  - {name: count, command: [" +
                folder_.file("count.sh") +
                ", \"{what}\"],\n"
                "     parameters: {what: {one_of: [alpha, beta]}}, max_parallel: 2}\n"
                "  - {name: slow, command: [/bin/sleep, \"30\"], max_parallel: 1, min_gap: 10s}\n",
            "actions.yaml"
        );
        auto out = parse_actions(document.root());
        EXPECT_TRUE(document.findings().empty());
        return out;
    }

    /// A good command; change it, then sign.
    Command make(const std::string& op_id) const {
        Command out;
        out.op_id = op_id;
        out.agent = "east/if1";
        out.action = "count";
        out.params = {{"what", "alpha"}};
        out.fence = {1, 7};
        out.issued_wall_ms = 1'000;
        out.valid_for_ms = 60'000;
        out.server = kServer;
        return out;
    }
    CommandResult submit(Command command) {
        tests::Servers::sign(command, server_);
        return operations_->submit(command);
    }
    void run_until_ended(std::size_t count) {
        const auto limit = std::chrono::steady_clock::now() + seconds(20);
        io_.restart();
        while (ended_.size() < count && std::chrono::steady_clock::now() < limit)
            io_.run_one_for(seconds(1));
        ASSERT_EQ(ended_.size(), count);
    }
    int effects() const {
        std::ifstream in(folder_.file("effects"));
        int out = 0;
        for (std::string line; std::getline(in, line);) ++out;
        return out;
    }
    void expect_refused(const CommandResult& result, const std::string& code) {
        EXPECT_EQ(result.state, CommandState::refused) << result.reason;
        EXPECT_TRUE(result.reason.starts_with(code + ":")) << result.reason;
        EXPECT_EQ(effects(), 0);
        EXPECT_EQ(operations_->running(), 0U);
    }

    tests::TemporaryFolder folder_;
    tests::Servers servers_;
    base::crypto::Issued server_;
    milliseconds now_{1'000'000};
    std::uint64_t wall_ms_ = 1'700'000'000'000;
    report::Clocks clocks_;
    boost::asio::io_context io_;
    std::vector<CommandResult> ended_;
    std::unique_ptr<Operations> operations_;
};

TEST_F(OperationsTest, AGoodCommandIsCarriedOutAndItsOutputComesBack) {
    EXPECT_EQ(submit(make("r1-s1-1")).state, CommandState::running);
    run_until_ended(1);
    EXPECT_EQ(ended_[0].state, CommandState::done);
    EXPECT_EQ(ended_[0].rc, 0);
    EXPECT_EQ(ended_[0].output, "did alpha\n");
    EXPECT_EQ(ended_[0].op_id, "r1-s1-1");
    EXPECT_EQ(effects(), 1);
}

// M-T6: the same operation again, while it runs, after it ended and after a restart of the agent.
TEST_F(OperationsTest, TheSameOperationHasOneEffect) {
    submit(make("op"));
    EXPECT_EQ(submit(make("op")).state, CommandState::running);
    run_until_ended(1);
    const auto again = submit(make("op"));
    EXPECT_EQ(again.state, CommandState::done);
    EXPECT_EQ(again.output, "did alpha\n");
    open();
    EXPECT_EQ(submit(make("op")).state, CommandState::done);
    auto adopted = make("op");  // a new leader asks with a higher fence and another time
    adopted.fence = {1, 8};
    adopted.issued_wall_ms = 2'000;
    EXPECT_EQ(submit(adopted).output, "did alpha\n");
    EXPECT_EQ(effects(), 1);
    EXPECT_EQ(ended_.size(), 1U);
}

TEST_F(OperationsTest, AnOperationThatRanWhenTheAgentEndedIsLostAndNotRepeated) {
    auto slow = make("slow-1");
    slow.action = "slow";
    slow.params.clear();
    EXPECT_EQ(submit(slow).state, CommandState::running);
    io_.run_for(milliseconds(100));
    open();
    const auto after = submit(slow);
    EXPECT_EQ(after.state, CommandState::lost);
    EXPECT_TRUE(after.reason.starts_with("agent_ended:")) << after.reason;
    EXPECT_EQ(operations_->running(), 0U);
}

TEST_F(OperationsTest, ALowerFenceThanTheHighestIsRefusedAlsoAfterARestart) {
    auto newer = make("new");
    newer.fence = {1, 9};
    submit(newer);
    run_until_ended(1);
    fs::remove(folder_.file("effects"));
    auto older = make("old");
    older.fence = {1, 8};
    expect_refused(submit(older), "stale_fence");
    open();
    EXPECT_EQ(operations_->fence(), (wire::contract::Fence{1, 9}));
    expect_refused(submit(older), "stale_fence");
    older.fence = {0, 99};
    expect_refused(submit(older), "stale_fence");
}

TEST_F(OperationsTest, AnOperationRefusedForItsFenceIsCarriedOutForTheNewLeader) {
    auto newer = make("other");
    newer.fence = {1, 9};
    submit(newer);
    run_until_ended(1);
    auto command = make("op");
    command.fence = {1, 8};
    EXPECT_EQ(submit(command).state, CommandState::refused);
    command.fence = {1, 9};
    EXPECT_EQ(submit(command).state, CommandState::running);
    run_until_ended(2);
    EXPECT_EQ(effects(), 2);
}

TEST_F(OperationsTest, AStaleRelayLearnsWhatBecameOfAKnownOperation) {
    submit(make("op"));
    auto newer = make("other");
    newer.fence = {1, 9};
    submit(newer);
    EXPECT_EQ(submit(make("op")).state, CommandState::running);
    run_until_ended(2);
    EXPECT_EQ(submit(make("op")).state, CommandState::done);
    EXPECT_EQ(operations_->fence(), (wire::contract::Fence{1, 9}));
    auto other = make("op");
    other.params["what"] = "beta";
    EXPECT_TRUE(submit(other).reason.starts_with("stale_fence:"));
    EXPECT_EQ(effects(), 2);
}

TEST_F(OperationsTest, ACommandForAnotherAgentIsRefused) {
    auto command = make("op");
    command.agent = "east/if2";
    expect_refused(submit(command), "wrong_agent");
}

TEST_F(OperationsTest, ASignerOfAnotherRoleIsRefused) {
    for (const char* role : {"agent", "monitor", "gslb", "slb", "operator", "blade"}) {
        const auto uri = std::string("twinsite://arbiter/") + role + "/sw";
        auto command = make("op");
        command.server = uri;
        tests::Servers::sign(command, servers_.issue(uri, Use::signing));
        expect_refused(operations_->submit(command), "wrong_role");
    }
}

TEST_F(OperationsTest, ATlsCertificateDoesNotSign) {
    auto command = make("op");
    tests::Servers::sign(command, server_);
    command.certificate = servers_.issue(kServer, Use::tls).certificate;
    expect_refused(operations_->submit(command), "bad_certificate");
}

TEST_F(OperationsTest, ASignerOfAnotherAuthorityIsRefused) {
    tests::TemporaryFolder elsewhere;
    const tests::Servers foreign(elsewhere.path());
    auto command = make("op");
    tests::Servers::sign(command, foreign.issue(kServer, Use::signing));
    expect_refused(operations_->submit(command), "bad_certificate");
}

TEST_F(OperationsTest, ARevokedSignerIsRefused) {
    servers_.revoke(server_.certificate);
    open();
    expect_refused(submit(make("op")), "bad_certificate");
}

TEST_F(OperationsTest, ASignerMayNotSpeakForAnotherServer) {
    auto command = make("op");
    command.server = "twinsite://arbiter/switchover/other";
    expect_refused(submit(command), "wrong_sender");
}

TEST_F(OperationsTest, EveryChangeAfterSigningIsRefused) {
    const auto check = [this](auto change) {
        auto command = make("op");
        tests::Servers::sign(command, server_);
        change(command);
        expect_refused(operations_->submit(command), "bad_signature");
    };
    check([](Command& command) { command.op_id = "other"; });
    check([](Command& command) { command.action = "slow"; });
    check([](Command& command) { command.params["what"] = "beta"; });
    check([](Command& command) { command.params["more"] = "x"; });
    check([](Command& command) { command.params.clear(); });
    check([](Command& command) { command.fence.revision = 100; });
    check([](Command& command) { command.fence.generation = 2; });
    check([](Command& command) { command.valid_for_ms = 3'600'000; });
    check([](Command& command) { command.issued_wall_ms = 5'000; });
    check([](Command& command) { command.signature = "AAAA"; });
    check([](Command& command) { command.signature.clear(); });
    EXPECT_EQ(operations_->fence(), wire::contract::Fence{}) << "a forgery raises no fence";
    EXPECT_EQ(submit(make("op")).state, CommandState::running) << "and takes no operation id";
    run_until_ended(1);
}

TEST_F(OperationsTest, UnknownActionsAndWrongParametersAreRefused) {
    int count = 0;
    const auto check = [&](const std::string& code, auto change) {
        auto command = make("op" + std::to_string(++count));
        change(command);
        expect_refused(submit(command), code);
    };
    check("unknown_action", [](Command& command) { command.action = "rm"; });
    check("unknown_action", [](Command& command) { command.action = "/bin/rm"; });
    check("unknown_parameter", [](Command& command) { command.params["more"] = "x"; });
    check("missing_parameter", [](Command& command) { command.params.clear(); });
    check("bad_parameter", [](Command& command) { command.params["what"] = "gamma"; });
    check("bad_parameter", [](Command& command) { command.params["what"] = "alpha;reboot"; });
    check("bad_parameter", [](Command& command) { command.params["what"] = ""; });
    check("bad_parameter", [](Command& command) {
        command.params["what"] = std::string(300, 'a');
    });
    check("control_byte", [](Command& command) { command.params["what"] = "alpha\n"; });
    check("control_byte", [](Command& command) { command.params["what"] = "alpha\nreboot"; });
    check("control_byte", [](Command& command) {
        command.params["what"] = std::string("a\0b", 3);
    });
    EXPECT_EQ(operations_->counters().refused, static_cast<std::uint64_t>(count));
}

TEST_F(OperationsTest, ARefusedOperationStaysRefused) {
    auto command = make("op");
    command.params["what"] = "gamma";
    const auto first = submit(command);
    EXPECT_EQ(submit(command).reason, first.reason);
    EXPECT_EQ(operations_->counters().repeated, 1U);
}

TEST_F(OperationsTest, AnOperationIdDoesNotComeBackWithAnotherContent) {
    submit(make("op"));
    run_until_ended(1);
    auto other = make("op");
    other.params["what"] = "beta";
    const auto result = submit(other);
    EXPECT_EQ(result.state, CommandState::refused);
    EXPECT_TRUE(result.reason.starts_with("op_id_reused:")) << result.reason;
    EXPECT_EQ(effects(), 1);
}

// M-T14: an hour forth or back on the wall clock changes nothing; elapsed time does.
TEST_F(OperationsTest, ValidityIsElapsedTimeNotWallClock) {
    auto command = make("op1");
    wall_ms_ += 3'600'000;
    EXPECT_EQ(submit(command).state, CommandState::running);
    wall_ms_ -= 2 * 3'600'000;
    command.op_id = "op2";
    EXPECT_EQ(submit(command).state, CommandState::running);
    run_until_ended(2);
    fs::remove(folder_.file("effects"));
    command.op_id = "op3";
    command.age_ms = 60'001;
    expect_refused(submit(command), "expired");
}

TEST_F(OperationsTest, MaxParallelAndMinGapHold) {
    auto command = make("s1");
    command.action = "slow";
    command.params.clear();
    EXPECT_EQ(submit(command).state, CommandState::running);
    command.op_id = "s2";
    EXPECT_TRUE(submit(command).reason.starts_with("busy:"));
    open();  // ends s1
    command.op_id = "s3";
    EXPECT_EQ(submit(command).state, CommandState::running);
    now_ += seconds(9);
    command.op_id = "s4";
    EXPECT_TRUE(submit(command).reason.starts_with("busy:"));
}

TEST_F(OperationsTest, AProgramThatOthersMayChangeIsNotStarted) {
    fs::permissions(folder_.file("count.sh"), fs::perms(0757));
    expect_refused(submit(make("op")), "unsafe_program");
}

TEST_F(OperationsTest, NothingIsBegunWhileStopping) {
    bool ended = false;
    operations_->drain([&] { ended = true; });
    EXPECT_TRUE(ended);
    expect_refused(submit(make("op")), "stopping");
}

TEST_F(OperationsTest, ADamagedFenceFileKeepsTheAgentFromStarting) {
    operations_.reset();
    std::ofstream(folder_.file("fence.json")) << "{";
    EXPECT_THROW(open(), base::daemon::StartError);
}

}  // namespace
}  // namespace twinsite::monitor::action
