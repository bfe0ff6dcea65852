// SPDX-License-Identifier: Apache-2.0
#include "monitor/report/uplink.hpp"

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/async/task_group.hpp"
#include "base/http/router.hpp"
#include "base/http/server.hpp"
#include "tests/monitor/fake_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::monitor::report {
namespace {

namespace http = base::http;
using std::chrono::milliseconds;
using tests::run_until;
using wire::contract::CommandResult;
using wire::contract::CommandState;

/// An uplink to a plain HTTP server that keeps what it gets.
class UplinkTest : public ::testing::Test {
protected:
    UplinkTest() {
        router_.add("POST", "/agent/v1/report", [this](const auto& request, const auto&) {
            ++requests_;
            order_.push_back("report");
            if (status_ == 200) bodies_.push_back(request.body);
            http::Response out;
            out.status = status_;
            out.body = R"({"schema":1,"server":"s","server_wall_ms":1,"accepted":1})";
            return out;
        });
        router_.add("POST", "/agent/v1/results", [this](const auto& request, const auto&) {
            ++result_requests_;
            order_.push_back("results");
            for (auto& result : wire::contract::decode_results(request.body).value())
                results_.push_back(std::move(result));
            http::Response out;
            out.status = status_ == 200 ? 204 : status_;
            return out;
        });
        server_ = std::make_unique<http::Server>(io_, router_);
        const auto at =
            server_->listen_tcp({base::text::IpAddress::from_v4(0x7F000001), 0}).value();
        Uplink::Settings settings;
        settings.target = http::Target::at_tcp(at);
        settings.path = "/agent/v1/report";
        settings.interval = milliseconds(500);
        uplink_ = std::make_unique<Uplink>(
            io_.get_executor(),
            settings,
            outbox_,
            [](const spool::Entry& entry, bool live, std::size_t) {
                return (live ? "live " : "late ") + entry.text;
            },
            [] { return std::uint64_t{0}; }  // the shortest of all waits
        );
    }
    ~UplinkTest() override {
        boost::asio::post(io_, [this] { tasks_.cancel(); });
        io_.restart();
        io_.run_for(milliseconds(50));
    }
    void add(const std::string& text) {
        outbox_.add(text);
        uplink_->wake();
    }
    void start() { tasks_.start(uplink_->run()); }

    tests::TemporaryFolder folder_;
    boost::asio::io_context io_;
    http::Router router_;
    unsigned status_ = 200;
    int requests_ = 0;
    int result_requests_ = 0;
    std::vector<std::string> bodies_;
    std::vector<std::string> order_;
    std::vector<CommandResult> results_;
    std::unique_ptr<http::Server> server_;
    Outbox outbox_{{}, {"server:1"}, folder_.file("spool.log"), Clocks()};
    std::unique_ptr<Uplink> uplink_;
    base::async::TaskGroup tasks_{io_.get_executor()};
};

TEST_F(UplinkTest, SendsTheNewestAtOnceThenTheRestFreshestFirst) {
    for (const char* text : {"1", "2", "3"}) add(text);
    start();
    ASSERT_TRUE(run_until(io_, [&] { return uplink_->state().sent == 3; }));
    EXPECT_EQ(bodies_, (std::vector<std::string>{"live 3", "late 2", "late 1"}));
    EXPECT_EQ(uplink_->state().backfill, 2U);
    EXPECT_TRUE(uplink_->state().up);
}

TEST_F(UplinkTest, TheBacklogIsPacedAndANewEntryOvertakesIt) {
    for (int count = 0; count < 6; ++count) add(std::to_string(count));
    start();
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(run_until(io_, [&] { return bodies_.size() == 2; }));
    add("new");
    ASSERT_TRUE(run_until(io_, [&] { return bodies_.size() == 7; }));
    EXPECT_EQ(bodies_[2], "live new");
    EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(4 * 50));
}

TEST_F(UplinkTest, ARefusalForGoodIsNotRepeated) {
    status_ = 422;
    add("1");
    start();
    ASSERT_TRUE(run_until(io_, [&] { return uplink_->state().refused == 1; }));
    EXPECT_FALSE(outbox_.next(0));
    EXPECT_EQ(requests_, 1);
}

TEST_F(UplinkTest, AServerThatDoesNotKnowUsIsAskedAgain) {
    status_ = 403;
    add("1");
    start();
    ASSERT_TRUE(run_until(io_, [&] { return requests_ >= 3; }));
    EXPECT_FALSE(uplink_->state().up);
    EXPECT_EQ(uplink_->state().error, "answered 403");
    status_ = 200;
    ASSERT_TRUE(run_until(io_, [&] { return uplink_->state().up; }));
    EXPECT_EQ(bodies_.size(), 1U);
    EXPECT_EQ(uplink_->state().error, "");
}

TEST_F(UplinkTest, ResultsAreSentUntilTheServerHasThem) {
    CommandResult result;
    result.op_id = "op";
    result.agent = "east/if1";
    result.state = CommandState::running;
    status_ = 500;
    start();
    uplink_->send_result(result);
    ASSERT_TRUE(run_until(io_, [&] { return result_requests_ >= 2; }));
    status_ = 200;
    result.state = CommandState::done;
    uplink_->send_result(result);
    results_.clear();
    ASSERT_TRUE(run_until(io_, [&] { return !results_.empty(); }));
    EXPECT_EQ(results_.size(), 1U) << "the newest word takes the place of the one before";
    EXPECT_EQ(results_[0].state, CommandState::done);
    const auto count = result_requests_;
    add("1");
    ASSERT_TRUE(run_until(io_, [&] { return bodies_.size() == 1; }));
    EXPECT_EQ(result_requests_, count);
}

TEST_F(UplinkTest, TheLiveReportDoesNotWaitForResults) {
    CommandResult result;
    result.agent = "east/if1";
    result.state = CommandState::done;
    result.output = std::string(8 * 1024, 'x');
    for (int count = 0; count < 4; ++count) {
        result.op_id = "op" + std::to_string(count);
        uplink_->send_result(result);
    }
    add("1");
    start();
    ASSERT_TRUE(run_until(io_, [&] { return results_.size() == 4; }));
    ASSERT_GE(order_.size(), 3U) << "the results do not fit into one body";
    EXPECT_EQ(order_[0], "report");
    EXPECT_EQ(order_[1], "results");
}

TEST_F(UplinkTest, ResultsReachAServerThatRefusesTheReport) {
    status_ = 422;
    add("1");
    CommandResult result;
    result.op_id = "op";
    result.agent = "east/if1";
    uplink_->send_result(result);
    start();
    EXPECT_TRUE(run_until(io_, [&] { return !results_.empty(); }));
    EXPECT_EQ(order_, (std::vector<std::string>{"report", "results"}));
}

TEST_F(UplinkTest, LargeResultsGoInSeveralRequests) {
    CommandResult result;
    result.agent = "east/if1";
    result.state = CommandState::done;
    result.output = std::string(64 * 1024, '\1');
    for (int count = 0; count < 6; ++count) {
        result.op_id = "op" + std::to_string(count);
        uplink_->send_result(result);
    }
    start();
    ASSERT_TRUE(run_until(io_, [&] { return results_.size() == 6; }));
    EXPECT_GE(result_requests_, 3);
}

}  // namespace
}  // namespace twinsite::monitor::report
