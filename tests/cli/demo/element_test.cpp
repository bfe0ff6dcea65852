// SPDX-License-Identifier: Apache-2.0
// A network element against real blades and a name server of ours, on addresses that follow from
// the number of the process, since ctest runs these tests side by side.
#include "cli/demo/element.hpp"

#include <csignal>
#include <functional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/demo/process.hpp"
#include "tests/support/fake_name_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::cli::demo {
namespace {

using namespace std::chrono_literals;

/// 127.100.0.0 to 127.199.255.0 by our own number, plus the last octet.
std::uint32_t own_address(std::uint32_t last_octet) {
    const auto number = static_cast<std::uint32_t>(getpid());
    return 127U << 24 | (100 + (number >> 8) % 100) << 16 | (number & 255) << 8 | last_octet;
}
std::string own_address_text(std::uint32_t last_octet) {
    return base::text::to_string(base::text::IpAddress::from_v4(own_address(last_octet)));
}

constexpr std::uint32_t kEast = 31;
constexpr std::uint32_t kWest = 41;
constexpr std::uint32_t kClient = 1;

class ElementTest : public testing::Test {
protected:
    ElementTest() : name_server_(io_, 0, {own_address(kEast)}) {
        Element::Config config;
        config.site = "east";
        config.client = base::text::IpAddress::from_v4(own_address(kClient));
        config.name_servers = {name_server_.at()};
        config.rate = 200;
        config.seed = 7;
        element_ = std::make_unique<Element>(
            io_.get_executor(),
            config,
            [this](const std::string& text) { notes_ += text + "\n"; },
            [this](const Outage& outage) { outages_.push_back(outage); }
        );
    }
    ~ElementTest() override {
        for (const auto& blade : blades_) {
            send(blade, SIGKILL);
            wait_for_death(blade, 5s);
        }
    }

    Record start_blade(const std::string& site) {
        const std::string address = own_address_text(site == "east" ? kEast : kWest) + ":3868";
        const auto launched = launch(
            {BINARY_ROOT "/bin/twinsite-blade",
             "--listen",
             address,
             "--host",
             "b1." + site + ".example.net",
             "--realm",
             "example.net"},
            folder_.file(site)
        );
        EXPECT_TRUE(launched) << launched.error().message();
        blades_.push_back(launched.value());
        return blades_.back();
    }
    void run() {
        boost::asio::co_spawn(io_, element_->run(), [this](std::exception_ptr thrown) {
            EXPECT_EQ(thrown, nullptr);
            ended_ = true;
        });
    }
    // Lets time pass, with ticks, until `wanted` holds; false when it does not within 10 s.
    bool until(const std::function<bool()>& wanted) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (std::chrono::steady_clock::now() < end) {
            if (wanted()) return true;
            element_->tick(std::chrono::steady_clock::now());
            io_.run_for(5ms);
            io_.restart();
        }
        return false;
    }
    bool served_by(std::size_t site, std::uint64_t count) {
        return until([&] { return element_->ledger().total().good[site] >= count; });
    }
    void leave() {
        element_->finish();
        EXPECT_TRUE(until([&] { return element_->finished(); })) << notes_;
        element_->leave(std::chrono::steady_clock::now());
        EXPECT_TRUE(until([&] { return ended_; })) << notes_;
        EXPECT_EQ(element_->pending(), 0U);
    }

    tests::TemporaryFolder folder_;
    boost::asio::io_context io_{1};
    tests::FakeNameServer name_server_;
    std::unique_ptr<Element> element_;
    std::vector<Record> blades_;
    std::vector<Outage> outages_;
    std::string notes_;
    bool ended_ = false;
};

TEST_F(ElementTest, ChargesSessionsFromItsOwnAddressAndLeavesNothingUnanswered) {
    start_blade("east");
    run();
    ASSERT_TRUE(served_by(0, 100)) << notes_;
    EXPECT_EQ(name_server_.last_client(), own_address_text(kClient));
    ASSERT_TRUE(element_->link());
    EXPECT_EQ(base::net::to_string(*element_->link()), own_address_text(kEast) + ":3868");
    leave();
    EXPECT_EQ(element_->ledger().total().not_good, 0U);
}

TEST_F(ElementTest, AKilledServerIsLeftForWhatDnsSaysThen) {
    const auto east = start_blade("east");
    start_blade("west");
    run();
    ASSERT_TRUE(served_by(0, 50)) << notes_;
    name_server_.answer_with({own_address(kWest)});
    send(east, SIGKILL);
    ASSERT_TRUE(served_by(1, 50)) << notes_;
    EXPECT_EQ(base::net::to_string(*element_->link()), own_address_text(kWest) + ":3868");
    leave();
}

TEST_F(ElementTest, AFrozenServerIsLeftAfterASecondAndItsRequestsAreRepeated) {
    const auto east = start_blade("east");
    start_blade("west");
    run();
    ASSERT_TRUE(served_by(0, 50)) << notes_;
    name_server_.answer_with({own_address(kWest)});
    send(east, SIGSTOP);
    ASSERT_TRUE(served_by(1, 50)) << notes_;
    ASSERT_EQ(outages_.size(), 1U) << notes_;
    EXPECT_GE(outages_.front().length(), 1s);
    EXPECT_LT(outages_.front().length(), 3s);
    leave();
    EXPECT_EQ(element_->ledger().total().not_good, 0U);
}

TEST_F(ElementTest, KeepsTryingUntilTheServerIsThere) {
    run();
    ASSERT_TRUE(until([&] { return notes_.find("cannot connect") != std::string::npos; }));
    start_blade("east");
    EXPECT_TRUE(served_by(0, 10)) << notes_;
    leave();
}

}  // namespace
}  // namespace twinsite::cli::demo
