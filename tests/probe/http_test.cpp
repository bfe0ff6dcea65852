// SPDX-License-Identifier: Apache-2.0
#include "probe/http.hpp"

#include <gtest/gtest.h>

#include "base/async/task_group.hpp"
#include "tests/probe/listener.hpp"
#include "tests/probe/no_descriptors.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

Outcome run(const HttpProbe::Settings& settings, std::chrono::milliseconds limit = 5s) {
    HttpProbe probe(settings);
    asio::io_context io;
    return tests::run_to_end(io, probe.run(limit));
}

std::string answer(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

TEST(HttpProbe, AsksForThePathWithTheHostAndAcceptsTheStatus) {
    ScriptedListener listener("HTTP/1.1 204 No Content\r\n\r\n");
    HttpProbe::Settings settings;
    settings.target = listener.at();
    settings.path = "/readyz?deep=1";
    settings.host = "ocs.example.net";
    settings.expect_status = {200, 204};
    settings.source = base::text::IpAddress::from_v4(0x7F00090C);
    const auto outcome = run(settings);
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_GT(outcome.latency, 0us);
    listener.join();
    EXPECT_TRUE(listener.request().starts_with("GET /readyz?deep=1 HTTP/1.1\r\n"));
    EXPECT_NE(listener.request().find("\r\nHost: ocs.example.net\r\n"), std::string::npos);
    EXPECT_EQ(listener.client(), "127.0.9.12");
}

TEST(HttpProbe, AnotherStatusIsBadAndNamed) {
    ScriptedListener listener(answer("503 Service Unavailable", "no blade"));
    HttpProbe::Settings settings;
    settings.target = listener.at();
    const auto outcome = run(settings);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "status 503");
}

TEST(HttpProbe, TheTextMustStandInTheFirstBytesOfTheBody) {
    const std::size_t size = HttpProbe::kBodyBytes;
    const auto outcome_for = [](const std::string& body) {
        ScriptedListener listener(answer("200 OK", body));
        HttpProbe::Settings settings;
        settings.target = listener.at();
        settings.expect_body = "alive";
        return run(settings);
    };
    EXPECT_TRUE(outcome_for("is alive.").ok);
    EXPECT_TRUE(outcome_for(std::string(size - 5, 'x') + "alive" + std::string(9000, 'x')).ok);
    const auto beyond = outcome_for(std::string(size - 4, 'x') + "alive");
    EXPECT_FALSE(beyond.ok);
    EXPECT_EQ(beyond.error, "the body does not contain \"alive\"");
    EXPECT_FALSE(outcome_for("").ok);
}

TEST(HttpProbe, DoesNotWaitForTheRestOfABody) {
    // 200 bytes of 100,000, and the connection stays open until the listener is joined below.
    SilentListener listener;
    HttpProbe::Settings settings;
    settings.target = listener.at();
    std::thread peer([&] {
        auto socket = listener.accept();
        std::string request;
        asio::read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n");
        const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbeginning";
        asio::write(socket, asio::buffer(head));
        base::Error end;
        char byte = 0;
        socket.read_some(asio::buffer(&byte, 1), end);  // until the probe has closed
    });
    const auto outcome = run(settings);
    peer.join();
    EXPECT_TRUE(outcome.ok) << outcome.error;
}

TEST(HttpProbe, AStoppedProcessIsBadAtTheLimitAlthoughItsPortIsOpen) {
    const SilentListener stopped;
    HttpProbe::Settings settings;
    settings.target = stopped.at();
    const auto outcome = run(settings, 50ms);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error, "timed out");
    EXPECT_GE(outcome.latency, 50ms);
}

TEST(HttpProbe, WhatIsNotHttpIsBad) {
    for (const char* bytes : {"", "220 smtp\r\n\r\n", "HTTP/1.1 2"}) {
        ScriptedListener listener(bytes);
        HttpProbe::Settings settings;
        settings.target = listener.at();
        const auto outcome = run(settings);
        EXPECT_FALSE(outcome.ok) << bytes;
        EXPECT_NE(outcome.error, "");
    }
}

TEST(HttpProbe, AClosedPortIsBad) {
    HttpProbe::Settings settings;
    settings.target = closed_port();
    const auto outcome = run(settings);
    EXPECT_EQ(outcome.error, "connection refused");
    EXPECT_FALSE(outcome.local_fault);
}

TEST(HttpProbe, WantOfDescriptorsSaysNothingAboutTheTarget) {
    SilentListener listener;
    HttpProbe::Settings settings;
    settings.target = listener.at();
    HttpProbe probe(settings);
    asio::io_context io;
    // The first service of a loop opens the loop's descriptors, and UBSan's first check of a
    // virtual call needs one of its own: so once with descriptors.
    tests::run_to_end(io, probe.run(50ms));
    const NoDescriptorsLeft none;
    const auto outcome = tests::run_to_end(io, probe.run(5s));
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(outcome.local_fault) << outcome.error;
}

asio::awaitable<void> keep(HttpProbe& probe) {
    co_await probe.run(60s);
}

TEST(HttpProbe, CanBeCancelledWhileItWaits) {
    SilentListener stopped;
    HttpProbe::Settings settings;
    settings.target = stopped.at();
    HttpProbe probe(settings);
    asio::io_context io;
    base::async::TaskGroup tasks(io.get_executor());
    const auto task = tasks.start(keep(probe));
    io.poll();
    const auto connection = stopped.accept();
    io.poll();
    EXPECT_EQ(tasks.size(), 1u);
    tasks.cancel(task);
    io.run();
    EXPECT_EQ(tasks.size(), 0u);
}

}  // namespace
}  // namespace twinsite::probe
