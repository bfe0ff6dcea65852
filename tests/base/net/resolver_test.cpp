// SPDX-License-Identifier: Apache-2.0
#include "base/net/resolver.hpp"

#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "tests/support/fake_name_server.hpp"

namespace twinsite::base::net {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Found = Result<std::vector<text::IpAddress>>;

class ResolverTest : public testing::Test {
protected:
    Resolver::Config config(std::vector<Endpoint> servers) {
        Resolver::Config out;
        out.servers = std::move(servers);
        out.timeout = 100ms;
        return out;
    }
    void start(Resolver& resolver, const std::string& name) {
        asio::co_spawn(io_, resolver.find_v4(name), [this](std::exception_ptr thrown, Found found) {
            ASSERT_EQ(thrown, nullptr);
            found_ = std::move(found);
        });
    }
    // Runs the loop until the lookup has ended.
    Found wait() {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!found_ && std::chrono::steady_clock::now() < end) io_.run_one_for(100ms);
        if (!found_) return Error(asio::error::in_progress);
        return *found_;
    }
    Found find(Resolver& resolver, const std::string& name) {
        found_.reset();
        start(resolver, name);
        return wait();
    }

    asio::io_context io_;
    std::optional<Found> found_;
};

TEST_F(ResolverTest, GivesTheAddressesInTheOrderOfTheAnswer) {
    tests::FakeNameServer server(io_, 0, {0x7f000214, 0x7f000114});
    Resolver resolver(io_.get_executor(), config({server.at()}));
    const auto found = find(resolver, "ocs.example.net");
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(text::to_string(found->at(0)), "127.0.2.20");
    EXPECT_EQ(text::to_string(found->at(1)), "127.0.1.20");
}

TEST_F(ResolverTest, AsksFromTheAddressItIsBoundTo) {
    tests::FakeNameServer server(io_, 0, {0x7f000114});
    auto bound = config({server.at()});
    bound.bind = text::parse_ip("127.10.1.1");
    Resolver resolver(io_.get_executor(), bound);
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    EXPECT_EQ(server.last_client(), "127.10.1.1");
}

TEST_F(ResolverTest, CachesNothing) {
    tests::FakeNameServer server(io_, 0, {0x7f000114});
    Resolver resolver(io_.get_executor(), config({server.at()}));
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    EXPECT_EQ(server.queries(), 2);
}

TEST_F(ResolverTest, TellsAMissingNameFromAMissingType) {
    tests::FakeNameServer without_name(io_, 3, {});
    Resolver first(io_.get_executor(), config({without_name.at()}));
    EXPECT_EQ(find(first, "nothing.example.net").error(), asio::error::host_not_found);
    tests::FakeNameServer without_type(io_, 0, {});
    Resolver second(io_.get_executor(), config({without_type.at()}));
    EXPECT_EQ(find(second, "ocs.example.net").error(), asio::error::no_data);
}

TEST_F(ResolverTest, ASilentServerTimesOutAndTheNextIsAsked) {
    tests::FakeNameServer silent(io_, 0, {0x7f000114});
    silent.be_silent();
    tests::FakeNameServer other(io_, 0, {0x7f000214});
    Resolver alone(io_.get_executor(), config({silent.at()}));
    EXPECT_EQ(find(alone, "ocs.example.net").error(), asio::error::timed_out);
    Resolver both(io_.get_executor(), config({silent.at(), other.at()}));
    const auto found = find(both, "ocs.example.net");
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(text::to_string(found->front()), "127.0.2.20");
}

TEST_F(ResolverTest, AClosedPortIsAnErrorAtOnce) {
    Endpoint closed;
    {
        const tests::FakeNameServer gone(io_, 0, {});
        closed = gone.at();
    }
    Resolver resolver(io_.get_executor(), config({closed}));
    EXPECT_EQ(find(resolver, "ocs.example.net").error(), asio::error::connection_refused);
}

TEST_F(ResolverTest, CancelEndsALookup) {
    tests::FakeNameServer silent(io_, 0, {});
    silent.be_silent();
    auto patient = config({silent.at()});
    patient.timeout = 60s;
    Resolver resolver(io_.get_executor(), patient);
    start(resolver, "ocs.example.net");
    while (silent.queries() == 0) io_.run_one_for(100ms);
    resolver.cancel();
    EXPECT_EQ(wait().error(), asio::error::operation_aborted);
}

TEST_F(ResolverTest, TheEndOfTheResolverEndsItsLookups) {
    tests::FakeNameServer silent(io_, 0, {});
    silent.be_silent();
    auto patient = config({silent.at()});
    patient.timeout = 60s;
    {
        Resolver resolver(io_.get_executor(), patient);
        start(resolver, "ocs.example.net");
        while (silent.queries() == 0) io_.run_one_for(100ms);
    }
    EXPECT_EQ(wait().error(), asio::error::operation_aborted);
}

}  // namespace
}  // namespace twinsite::base::net
