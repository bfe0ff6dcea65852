// SPDX-License-Identifier: Apache-2.0
// What the rooms that decide may not know: sockets, clocks, threads, Asio. They are told the time
// and handed bytes, so that their tests are exact.
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.hpp"

namespace twinsite::architecture {
namespace {

const std::vector<std::string> kPure = {
    "wire/dns",
    "wire/diameter",
    "wire/contract",
    "gslb/zone",
    "gslb/steering",
    "gslb/answer",
    "slb/session",
    "slb/balance",
    "slb/route",
    "monitor/spool",
    "switchover/model",
    "switchover/judge",
};

const std::vector<std::string> kImpureHeaders = {
    "boost/asio", "boost/beast",  "sys/socket.h", "sys/epoll.h", "sys/un.h",
    "netinet/",   "netdb.h",      "poll.h",       "thread",      "condition_variable",
    "mutex",      "shared_mutex", "future",       "stop_token",  "semaphore",
    "latch",      "pthread.h",    "urcu",         "sys/time.h",  "sys/timerfd.h",
};

// A header of the standard library must match whole, a folder or a library by its beginning.
bool is_impure(const std::string& path) {
    for (const auto& header : kImpureHeaders)
        if (path == header || (header.find('/') != std::string::npos && path.starts_with(header)) ||
            (header == "urcu" && path.starts_with(header)))
            return true;
    return false;
}

std::string where(const SourceFile& file, const Line& line) {
    return file.path + ":" + std::to_string(line.number) + ": " + line.text;
}

TEST(Purity, PureRoomsIncludeNoInputOutputClockOrThread) {
    for (const auto& file : read_sources(kPure))
        for (const auto& line : file.lines) {
            bool quoted = false;
            EXPECT_FALSE(is_impure(included_path(line, quoted))) << where(file, line);
        }
}

TEST(Purity, PureRoomsNeverAskForTheTime) {
    const std::regex clock(
        R"((_clock::now\s*\()|\b(clock_gettime|gettimeofday|time)\s*\(\s*(nullptr|NULL|0|CLOCK|&))"
    );
    for (const auto& file : read_sources(kPure))
        for (const auto& line : file.lines)
            EXPECT_FALSE(std::regex_search(line.code, clock)) << where(file, line);
}

TEST(Purity, TheRuleKnowsAnImpureHeader) {
    EXPECT_TRUE(is_impure("boost/asio/ip/tcp.hpp"));
    EXPECT_TRUE(is_impure("sys/socket.h"));
    EXPECT_TRUE(is_impure("thread"));
    EXPECT_TRUE(is_impure("urcu-qsbr.h"));
    EXPECT_FALSE(is_impure("chrono"));
    EXPECT_FALSE(is_impure("gslb/zone/thread_of_names.hpp"));
}

}  // namespace
}  // namespace twinsite::architecture
