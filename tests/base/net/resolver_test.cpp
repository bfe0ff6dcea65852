// SPDX-License-Identifier: Apache-2.0
#include "base/net/resolver.hpp"

#include <array>
#include <functional>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <gtest/gtest.h>

#include "base/net/asio.hpp"

namespace twinsite::base::net {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;
using Found = Result<std::vector<text::IpAddress>>;

/// A name server that answers every query alike: with RCODE `rcode` and these A records.
class FakeServer {
public:
    FakeServer(asio::io_context& io, std::uint8_t rcode, std::vector<std::uint32_t> addresses)
        : socket_(io, asio::ip::udp::endpoint(asio::ip::make_address("127.0.0.1"), 0)),
          rcode_(rcode),
          addresses_(std::move(addresses)) {
        receive();
    }
    Endpoint at() const { return from_asio(socket_.local_endpoint()); }
    int queries() const { return queries_; }
    std::string last_client() const { return from_.address().to_string(); }
    void be_silent() { silent_ = true; }

private:
    void receive() {
        socket_.async_receive_from(
            asio::buffer(query_),
            from_,
            [this](const Error& failure, std::size_t size) {
                if (failure) return;
                ++queries_;
                if (!silent_) reply(size);
                receive();
            }
        );
    }
    void reply(std::size_t size) {
        // Header and question are kept; what follows the question (EDNS) is not sent by c-ares.
        Bytes out(query_.begin(), query_.begin() + static_cast<std::ptrdiff_t>(size));
        out[2] = 0x84;  // QR, AA
        out[3] = rcode_;
        out[7] = static_cast<std::uint8_t>(addresses_.size());
        for (const auto address : addresses_) {
            for (const int byte : {0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4})
                out.push_back(static_cast<std::uint8_t>(byte));
            for (int shift = 24; shift >= 0; shift -= 8)
                out.push_back(static_cast<std::uint8_t>(address >> shift));
        }
        socket_.send_to(asio::buffer(out), from_);
    }

    asio::ip::udp::socket socket_;
    asio::ip::udp::endpoint from_;
    std::array<std::uint8_t, 512> query_{};
    const std::uint8_t rcode_;
    const std::vector<std::uint32_t> addresses_;
    int queries_ = 0;
    bool silent_ = false;
};

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
    FakeServer server(io_, 0, {0x7f000214, 0x7f000114});
    Resolver resolver(io_.get_executor(), config({server.at()}));
    const auto found = find(resolver, "ocs.example.net");
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(text::to_string(found->at(0)), "127.0.2.20");
    EXPECT_EQ(text::to_string(found->at(1)), "127.0.1.20");
}

TEST_F(ResolverTest, AsksFromTheAddressItIsBoundTo) {
    FakeServer server(io_, 0, {0x7f000114});
    auto bound = config({server.at()});
    bound.bind = text::parse_ip("127.10.1.1");
    Resolver resolver(io_.get_executor(), bound);
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    EXPECT_EQ(server.last_client(), "127.10.1.1");
}

TEST_F(ResolverTest, CachesNothing) {
    FakeServer server(io_, 0, {0x7f000114});
    Resolver resolver(io_.get_executor(), config({server.at()}));
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    ASSERT_TRUE(find(resolver, "ocs.example.net"));
    EXPECT_EQ(server.queries(), 2);
}

TEST_F(ResolverTest, TellsAMissingNameFromAMissingType) {
    FakeServer without_name(io_, 3, {});
    Resolver first(io_.get_executor(), config({without_name.at()}));
    EXPECT_EQ(find(first, "nothing.example.net").error(), asio::error::host_not_found);
    FakeServer without_type(io_, 0, {});
    Resolver second(io_.get_executor(), config({without_type.at()}));
    EXPECT_EQ(find(second, "ocs.example.net").error(), asio::error::no_data);
}

TEST_F(ResolverTest, ASilentServerTimesOutAndTheNextIsAsked) {
    FakeServer silent(io_, 0, {0x7f000114});
    silent.be_silent();
    FakeServer other(io_, 0, {0x7f000214});
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
        const FakeServer gone(io_, 0, {});
        closed = gone.at();
    }
    Resolver resolver(io_.get_executor(), config({closed}));
    EXPECT_EQ(find(resolver, "ocs.example.net").error(), asio::error::connection_refused);
}

TEST_F(ResolverTest, CancelEndsALookup) {
    FakeServer silent(io_, 0, {});
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
    FakeServer silent(io_, 0, {});
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
