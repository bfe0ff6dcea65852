// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/observatory.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/async/deadline.hpp"
#include "probe/probe.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::gslb::health {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// Always what `*answer` says.
class ObedientProbe final : public probe::Probe {
public:
    explicit ObedientProbe(const bool& answer) : answer_(answer) {}
    asio::awaitable<probe::Outcome> run(std::chrono::milliseconds) override {
        probe::Outcome out;
        out.ok = answer_;
        co_return out;
    }

private:
    const bool& answer_;
};

class ObservatoryTest : public testing::Test {
protected:
    ObservatoryTest() { make(); }
    void make() {
        Observatory::Settings settings;
        settings.joint_file = folder_.file("joint.json");
        observatory_ = std::make_unique<Observatory>(
            io_,
            settings,
            [this] { ++changes_; },
            [this](const Question&) { return std::make_unique<ObedientProbe>(good_); }
        );
        Watch watch;
        watch.id = "ocs/west";
        watch.items.push_back({"web", {}});
        auto& check = watch.items[0].check;
        check.question.target = base::net::parse_endpoint("192.0.2.1:80").value();
        check.interval = 20ms;
        check.thresholds = {.up = 1, .ok = 1, .down = 1, .hold_down = 0ms};
        VoteBoard::Rules rules;
        rules.node = "a";
        rules.targets["ocs/west"] = {{}, true};
        observatory_->apply({watch}, rules, 4);
    }
    State state() const { return observatory_->health("ocs/west").state; }
    bool say(State state) {
        return observatory_->take({"b", "ocs/west", "web@192.0.2.1:80", ++seq_, state, {}, {}});
    }
    template <class Condition>
    void run_until(Condition done) {
        const auto limit = Clock::now() + 10s;
        io_.restart();
        while (!done() && Clock::now() < limit) io_.run_one_for(100ms);
        ASSERT_TRUE(done());
    }

    tests::TemporaryFolder folder_;
    asio::io_context io_{1};
    bool good_ = true;
    int changes_ = 0;
    std::uint64_t seq_ = 0;
    std::unique_ptr<Observatory> observatory_;
};

TEST_F(ObservatoryTest, ReportsWhatOwnChecksFind) {
    run_until([this] { return state() == State::up; });
    EXPECT_GE(changes_, 1);
    good_ = false;
    run_until([this] { return state() == State::down; });
}

TEST_F(ObservatoryTest, AVoteChangesHealthAndGrowsOldByItself) {
    good_ = false;
    observatory_->set_peer(Sign::good);
    run_until([this] { return observatory_->checks("ocs/west")[0].state == State::down; });
    EXPECT_TRUE(say(State::up));
    run_until([this] { return state() == State::up; });
    observatory_->set_peer(Sign::none);
    run_until([this] { return state() == State::down; });
}

TEST_F(ObservatoryTest, KeepsWhatWasJointlyKnownForTheNextStart) {
    observatory_->set_peer(Sign::good);
    run_until([this] { return state() == State::up; });
    say(State::up);
    run_until([this] { return !observatory_->board().joint(Clock::now()).empty(); });
    observatory_.reset();
    good_ = false;
    make();
    observatory_->set_peer(Sign::bad);
    run_until([this] { return observatory_->board().stance() == Stance::isolated; });
    EXPECT_EQ(state(), State::up);
}

TEST_F(ObservatoryTest, EndsAtAnyMoment) {
    say(State::up);
    observatory_.reset();
    io_.restart();
    io_.run_for(50ms);
}

}  // namespace
}  // namespace twinsite::gslb::health
