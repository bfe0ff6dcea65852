// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/event_hub.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/async/deadline.hpp"
#include "base/http/connect.hpp"
#include "base/http/event_stream.hpp"
#include "base/http/tls.hpp"
#include "tests/switchover/api/world.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::api {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// An open event stream as a browser has it: reads until a text has come.
class Reader {
public:
    Reader(base::http::Target target, const base::http::Request& request)
        : target_(std::move(target)), request_(request) {}

    /// All that came until `text` was in it; empty when it did not come within 15 s.
    std::string until(const std::string& text) { return tests::run_to_end(io_, read(*this, text)); }
    /// The server ended it.
    bool ended() { return tests::run_to_end(io_, read(*this, "\x01never")).empty() && !timed_out_; }

private:
    using Got = base::Result<std::size_t>;

    static asio::awaitable<std::string> read(Reader& self, std::string text) {
        if (!self.stream_) {
            auto context = base::http::TlsContext::for_client(*self.target_.tls);
            auto stream = co_await base::http::connect(self.target_, *context);
            if (!stream) co_return "";
            self.stream_ = std::move(*stream);
            auto bytes = base::http::serialize(self.request_, "127.0.0.1", true);
            const auto sent = co_await self.stream_->write_all(bytes);
            if (!sent) co_return "";
        }
        std::string all;
        std::array<char, 4096> buffer{};
        while (all.find(text) == std::string::npos) {
            const std::span<char> into(buffer);
            const Got size =
                co_await base::async::with_deadline(self.stream_->read_some(into), 15s);
            self.timed_out_ = !size && size.error() == asio::error::timed_out;
            if (!size) co_return "";
            all.append(buffer.data(), *size);
        }
        co_return all;
    }

    asio::io_context io_;
    base::http::Target target_;
    base::http::Request request_;
    std::unique_ptr<base::http::Stream> stream_;
    bool timed_out_ = false;
};

class Events : public testing::Test {
protected:
    Reader open(const Login& login) {
        auto request = get("/api/v1/events");
        request.headers.emplace_back("Cookie", "twinsite_session=" + login.cookie);
        return {world_.console_target(), request};
    }
    void tick() {
        world_.on_loop([&] { world_.api->tick(); });
    }
    World world_;
};

TEST_F(Events, BeginWithTheWholeStateAndGoOnWithChanges) {
    world_.on_loop([&] {
        RunView run;
        run.id = "r01-7";
        run.state = "RUNNING";
        world_.backend.kept_runs["r01-7"] = run;
    });
    auto reader = open(world_.sign_in("li", "viewer"));
    const auto first = reader.until("event: run");
    EXPECT_NE(first.find("text/event-stream"), std::string::npos);
    EXPECT_NE(first.find("event: overview"), std::string::npos);
    EXPECT_NE(first.find("event: hosts"), std::string::npos);
    tick();  // the first one is due at once
    EXPECT_NE(reader.until("event: hosts"), "");
    world_.on_loop([&] {
        world_.backend.shown.server.node = "changed";
        ++world_.backend.revision;
    });
    tick();
    EXPECT_NE(reader.until("\"node\":\"changed\""), "");
    world_.on_loop([&] {
        RunView run;
        run.id = "r01-8";
        world_.api->run_changed(run);
    });
    EXPECT_NE(reader.until("\"id\":\"r01-8\"").find("event: run"), std::string::npos);
    world_.advance(2s);
    tick();
    EXPECT_NE(reader.until("event: hosts").find("event: overview"), std::string::npos);
}

TEST_F(Events, EndWithTheLogin) {
    const auto li = world_.sign_in("li", "viewer");
    auto reader = open(li);
    ASSERT_NE(reader.until("event: hosts"), "");
    ASSERT_EQ(outcome(world_.console(li, ask("POST", "/api/v1/logout", ""))), "204");
    tick();
    EXPECT_TRUE(reader.ended());
}

TEST_F(Events, AnOpenStreamDoesNotKeepItsLoginAlive) {
    const auto li = world_.sign_in("li", "viewer");
    auto reader = open(li);
    ASSERT_NE(reader.until("event: hosts"), "");
    world_.advance(15min);
    tick();
    EXPECT_EQ(outcome(world_.console(li, get("/api/v1/me"))), "200");
    world_.advance(15min);
    tick();
    EXPECT_NE(reader.until("event: hosts"), "");
    world_.advance(15min);
    tick();
    EXPECT_TRUE(reader.ended());
    EXPECT_EQ(outcome(world_.console(li, get("/api/v1/me"))), "401 signed-out");
}

TEST_F(Events, HostsFitWhateverAgentsReport) {
    world_.on_loop([&] {
        fleet::Roster roster;
        for (int i = 0; i < 400; ++i)
            roster.agents.push_back({"east", "h" + std::to_string(i), "interface"});
        fleet::Fleet large(roster, {});
        wire::contract::Report report;
        report.site = "east";
        report.boot_id = "b";
        report.seq = 1;
        wire::contract::Sample disk;
        disk.collector = "disk";
        for (int i = 0; i < 256; ++i) {
            disk.instance = "/" + std::to_string(i) + std::string(200, '\x01');
            report.samples.push_back(disk);
        }
        for (const auto& agent : roster.agents) {
            report.name = agent.name;
            large.take_report(
                {"east", "agent", agent.name}, report, {fleet::Time() + 1h, 1'800'000'000'000}
            );
        }
        Context context{
            {kServer, "", [] { return fleet::Moment{fleet::Time() + 1h, 0}; }},
            world_.backend,
            large,
            *world_.commands,
            AuditTrail(world_.backend)
        };
        EventHub hub(context);
        const auto stream = std::make_shared<base::http::EventStream>();
        EXPECT_FALSE(hub.add(Caller{}, stream));
        EXPECT_TRUE(stream->open());
        const auto text = hub.hosts_text();
        EXPECT_LT(text.size(), 530U * 1024);
        const auto shown = boost::json::parse(text).as_object();
        EXPECT_EQ(shown.at("total"), 400);
        const auto& first = shown.at("hosts").as_array().at(0).as_object();
        EXPECT_TRUE(first.at("truncated").as_bool());
        EXPECT_TRUE(first.at("disks").as_array().empty());
        hub.stop();
    });
}

TEST_F(Events, OperatorsCertificatesGetThemToo) {
    Reader reader(world_.machine_target(kOperator), get("/api/v1/events"));
    EXPECT_NE(reader.until("event: overview"), "");
    EXPECT_EQ(outcome(world_.machine(kIf1, get("/api/v1/events"))), "403 role");
}

TEST_F(Events, AreLimitedInNumber) {
    const auto refused = world_.on_loop([&] {
        Context context{
            {kServer, "", [] { return fleet::Moment{fleet::Time() + 1h, 0}; }},
            world_.backend,
            *world_.fleet,
            *world_.commands,
            AuditTrail(world_.backend)
        };
        EventHub hub(context);
        Caller caller;
        caller.who = "li";
        std::vector<EventHub::Stream> streams;
        int out = 0;
        for (int i = 0; i < 20; ++i) {
            streams.push_back(std::make_shared<base::http::EventStream>());
            out += hub.add(caller, streams.back()) ? 1 : 0;
        }
        hub.stop();
        EXPECT_FALSE(streams.front()->open());
        return out;
    });
    EXPECT_EQ(refused, 4);
}

TEST_F(Events, AClientThatDoesNotReadIsLetGo) {
    world_.on_loop([&] {
        Context context{
            {kServer, "", [] { return fleet::Moment{fleet::Time() + 1h, 0}; }},
            world_.backend,
            *world_.fleet,
            *world_.commands,
            AuditTrail(world_.backend)
        };
        EventHub hub(context);
        const auto slow = std::make_shared<base::http::EventStream>();
        EXPECT_FALSE(hub.add(Caller{}, slow));
        RunView run;
        run.output = std::string(1'000, 'x');
        for (int i = 0; i < 2'000 && slow->open(); ++i) hub.run_changed(run);
        EXPECT_FALSE(slow->open());
        hub.tick([](const std::string&) { return true; });
        EXPECT_EQ(hub.size(), 0U);
    });
}

}  // namespace
}  // namespace twinsite::switchover::api
