// SPDX-License-Identifier: Apache-2.0
// The two programs as a user starts them, against each other.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "tests/tools/child.hpp"

namespace twinsite::tools::test {
namespace {

using Arguments = std::vector<std::string>;

// A blade on a port of the kernel's choice, or on `at`.
struct Blade {
    explicit Blade(Arguments more = {}, const std::string& at = "127.0.0.1:0")
        : child("twinsite-blade", all(at, std::move(more))) {
        const auto line = child.first_error_line();
        EXPECT_TRUE(line.starts_with("listening on ")) << line;
        address = line.substr(line.find_last_of(' ') + 1);
    }
    static Arguments all(const std::string& at, Arguments more) {
        Arguments out = {"--listen", at, "--host", "b1.example.net", "--realm", "example.net"};
        out.insert(out.end(), more.begin(), more.end());
        return out;
    }
    boost::json::object stop() {
        child.signal(SIGTERM);
        EXPECT_EQ(child.wait(), 0);
        return boost::json::parse(child.output()).as_object();
    }
    Child child;
    std::string address;
};

struct Load {
    explicit Load(const std::string& target, Arguments more)
        : child("twinsite-load", all(target, std::move(more))) {}
    static Arguments all(const std::string& target, Arguments more) {
        more.insert(more.begin(), {"--target", target});
        return more;
    }
    boost::json::object finish(int expected_exit = 0) {
        EXPECT_EQ(child.wait(), expected_exit) << child.output();
        return boost::json::parse(child.output()).as_object();
    }
    Child child;
};

std::int64_t number(const boost::json::object& from, const char* name) {
    return from.at(name).as_int64();
}

TEST(Programs, AClosedLoopLosesNothing) {
    Blade blade({"--strict"});
    Load load(blade.address, {"--connections", "3", "--window", "16", "--sessions", "1000"});
    const auto report = load.finish();
    EXPECT_EQ(number(report, "sent"), 5000);
    EXPECT_EQ(number(report, "answered"), 5000);
    EXPECT_EQ(number(report, "sessions_completed"), 1000);
    EXPECT_EQ(number(report, "sessions_moved"), 0);
    EXPECT_EQ(number(report.at("result_codes").as_object(), "2001"), 5000);
    const auto stats = blade.stop();
    EXPECT_EQ(number(stats, "requests"), 5000);
    EXPECT_EQ(number(stats, "sessions"), 1000);
    EXPECT_EQ(number(stats, "open_sessions"), 0);
    EXPECT_EQ(number(stats, "unknown_session"), 0);
    EXPECT_EQ(number(stats, "retransmitted"), 0);
}

TEST(Programs, AnOpenLoopKeepsItsRateAndItsAnswersWaitForTheDelay) {
    Blade blade({"--delay", "5ms"});
    Load load(
        blade.address,
        {"--connections", "2", "--rate", "2000", "--duration", "500ms", "--updates", "1"}
    );
    const auto report = load.finish();
    EXPECT_GE(number(report, "sent"), 990);
    EXPECT_LE(number(report, "sent"), 1001);
    EXPECT_EQ(number(report, "answered"), number(report, "sent"));
    EXPECT_GE(report.at("latency_us").as_object().at("p50").as_double(), 5000.0);
}

TEST(Programs, AKilledBladeThatComesBackGetsThePendingAgainWithT) {
    std::optional<Blade> blade(std::in_place, Arguments{"--delay", "200ms"});
    const std::string address = blade->address;
    Load load(
        address,
        {"--connections", "2", "--window", "50", "--sessions", "400", "--reconnect", "--progress"}
    );
    EXPECT_FALSE(load.child.first_error_line().empty()) << "it is under way";
    blade->child.signal(SIGKILL);
    blade->child.wait();
    blade.emplace(Arguments{}, address);
    const auto report = load.finish();
    EXPECT_EQ(number(report, "sent"), 2000);
    EXPECT_EQ(number(report, "answered"), 2000);
    EXPECT_GT(number(report, "retransmits"), 0);
    EXPECT_EQ(number(report, "reconnects"), 2);
    const auto stats = blade->stop();
    EXPECT_EQ(number(stats, "retransmitted"), number(report, "retransmits"));
    EXPECT_EQ(number(stats, "duplicates"), 0) << "the first blade took them with it";
}

TEST(Programs, ALostConnectionIsALossWithoutReconnect) {
    Blade blade({"--delay", "10s"});
    Load load(
        blade.address, {"--connections", "2", "--window", "5", "--sessions", "10", "--progress"}
    );
    EXPECT_FALSE(load.child.first_error_line().empty());
    blade.child.signal(SIGKILL);
    const auto report = load.finish(1);
    EXPECT_EQ(number(report, "lost"), 10);
}

TEST(Programs, ABladeThatLeavesSaysSo) {
    Blade blade;
    Load load(
        blade.address,
        {"--connections", "4", "--rate", "500", "--duration", "30s", "--reconnect", "--progress"}
    );
    EXPECT_FALSE(load.child.first_error_line().empty());
    const auto stats = blade.stop();
    EXPECT_EQ(number(stats, "links_open"), 0);
    EXPECT_EQ(number(stats, "links_accepted"), 4);
    // The first ends the load, the second the wait for what cannot be delivered. They differ since
    // two of a kind can become one on the way (signal(7)).
    load.child.signal(SIGTERM);
    load.child.signal(SIGINT);
    const int code = load.child.wait();
    EXPECT_TRUE(code == 0 || code == 1) << code;
}

TEST(Programs, UnknownSessionsGetTheirCodeFromAStrictBlade) {
    Blade blade({"--result-code", "5031"});
    Load load(blade.address, {"--connections", "1", "--window", "2", "--sessions", "20"});
    const auto report = load.finish();
    EXPECT_EQ(number(report.at("result_codes").as_object(), "5031"), 20);
    EXPECT_EQ(number(report, "sessions_failed"), 20);
}

TEST(Programs, TheStatsFileIsWrittenToo) {
    const auto file =
        std::filesystem::temp_directory_path() / ("blade-" + std::to_string(getpid()) + ".json");
    Blade blade({"--stats-file", file.string()});
    Load load(blade.address, {"--connections", "1", "--window", "1", "--sessions", "1"});
    load.finish();
    const auto stats = blade.stop();
    std::ifstream in(file);
    std::string text;
    std::getline(in, text);
    EXPECT_EQ(boost::json::parse(text).as_object(), stats);
    std::filesystem::remove(file);
}

TEST(Programs, BadUsageIsTwo) {
    const auto exit_of = [](const std::string& program, Arguments arguments) {
        Child child(program, std::move(arguments));
        return child.wait();
    };
    EXPECT_EQ(exit_of("twinsite-blade", {}), 2);
    EXPECT_EQ(exit_of("twinsite-blade", {"--listen", "x", "--host", "h", "--realm", "r"}), 2);
    EXPECT_EQ(
        exit_of(
            "twinsite-blade",
            {"--listen", "127.0.0.1:0", "--host", "h", "--realm", "r", "--delay", "2"}
        ),
        2
    );
    EXPECT_EQ(exit_of("twinsite-blade", {"--help"}), 0);
    EXPECT_EQ(exit_of("twinsite-blade", {"--version"}), 0);
    const Arguments good = {"--target", "127.0.0.1:1", "--connections", "1", "--sessions", "1"};
    const auto with = [&good](Arguments more) {
        more.insert(more.begin(), good.begin(), good.end());
        return more;
    };
    EXPECT_EQ(exit_of("twinsite-load", {}), 2);
    EXPECT_EQ(exit_of("twinsite-load", good), 2) << "neither window nor rate";
    EXPECT_EQ(exit_of("twinsite-load", with({"--window", "1", "--rate", "5"})), 2);
    EXPECT_EQ(exit_of("twinsite-load", with({"--window", "1", "--duration", "1s"})), 2);
    EXPECT_EQ(exit_of("twinsite-load", with({"--window", "0"})), 2);
    EXPECT_EQ(exit_of("twinsite-load", with({"--window", "1", "--bind", "here"})), 2);
    EXPECT_EQ(exit_of("twinsite-load", {"--help"}), 0);
    EXPECT_EQ(exit_of("twinsite-load", {"--version"}), 0);
}

}  // namespace
}  // namespace twinsite::tools::test
