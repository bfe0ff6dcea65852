// SPDX-License-Identifier: Apache-2.0
#include "gslb/reloader.hpp"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace twinsite::gslb {
namespace {

/// Reads a file that is not there: what matters is who is told what, and when.
class ReloaderTest : public testing::Test {
protected:
    Reloader::Done note(const char* name) {
        return [this, name](const control::ReloadOutcome& outcome) {
            told_.push_back(name + std::string(" ") + std::to_string(outcome.snapshot));
        };
    }

    boost::asio::io_context io_;
    std::uint64_t adopted_ = 0;
    std::thread::id adopting_thread_;
    std::vector<std::string> told_;
    Reloader reloader_{io_, "/nonexistent/gslb.yaml", [this](const LoadedIntent& loaded) {
                           adopting_thread_ = std::this_thread::get_id();
                           control::ReloadOutcome out;
                           out.findings = loaded.findings;
                           out.snapshot = ++adopted_;
                           return out;
                       }};
};

TEST_F(ReloaderTest, AdoptsOnTheLoopAndTellsTheOutcome) {
    std::vector<std::string> findings;
    reloader_.request([&](const control::ReloadOutcome& outcome) { findings = outcome.findings; });
    const auto work = boost::asio::make_work_guard(io_);
    while (findings.empty()) io_.run_one();
    EXPECT_EQ(adopting_thread_, std::this_thread::get_id());
    EXPECT_EQ(
        findings,
        std::vector<std::string>{"/nonexistent/gslb.yaml: cannot be read: No such file or directory"
        }
    );
}

TEST_F(ReloaderTest, RequestsDuringAReadingShareTheNextOne) {
    reloader_.request(note("first"));
    reloader_.request(note("second"));
    reloader_.request(note("third"));
    const auto work = boost::asio::make_work_guard(io_);
    while (told_.size() < 3) io_.run_one();
    EXPECT_EQ(told_, (std::vector<std::string>{"first 1", "second 2", "third 2"}));
    EXPECT_EQ(adopted_, 2U);
}

TEST_F(ReloaderTest, ARequestFromWithinAnOutcomeIsServedByANewReading) {
    reloader_.request([this](const control::ReloadOutcome&) { reloader_.request(note("inner")); });
    const auto work = boost::asio::make_work_guard(io_);
    while (told_.empty()) io_.run_one();
    EXPECT_EQ(told_, std::vector<std::string>{"inner 2"});
}

TEST_F(ReloaderTest, GoesAwayWhileAReadingRuns) {
    reloader_.request(note("never"));
    // The destructor waits for the thread; nobody is told, since the loop does not run any more.
}

}  // namespace
}  // namespace twinsite::gslb
