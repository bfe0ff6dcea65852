// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/observatory.hpp"

#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/log/log.hpp"
#include "gslb/health/verdict_file.hpp"

namespace twinsite::gslb::health {

namespace log = base::log;

namespace {

/// Votes grow old without anything happening.
constexpr std::chrono::seconds kTick{1};

}  // namespace

Observatory::Observatory(
    boost::asio::io_context& io,
    Settings settings,
    std::function<void()> on_change,
    ProbeFactory make_probe
)
    : settings_(std::move(settings)),
      on_change_(std::move(on_change)),
      checker_(
          io, settings_.checks, [this] { look(); }, std::move(make_probe)
      ),
      board_(
          [this](std::string_view id) { return checker_.checks(id); },
          [this](std::string_view id) { return checker_.health(id); }
      ),
      soon_(io),
      tick_(io) {}

Observatory::~Observatory() {
    stop();
}

void Observatory::apply(std::vector<Watch> watches, VoteBoard::Rules rules, std::size_t parallel) {
    if (stopped_) return;
    checker_.limit_parallel(parallel);
    checker_.apply(std::move(watches));
    board_.apply(std::move(rules));
    if (!restored_) {
        restored_ = true;
        restore();
        tick();
    }
    // Who applies a configuration looks at the health of its targets next.
    board_.refresh(Clock::now());
}

bool Observatory::take(const Vote& vote) {
    if (stopped_ || !board_.take(vote, Clock::now())) return false;
    look_soon();
    return true;
}

void Observatory::set_peer(Sign peer) {
    if (stopped_) return;
    board_.set_peer(peer);
    look_soon();
}

/// Many votes come together.
void Observatory::look_soon() {
    if (soon_due_) return;
    soon_due_ = true;
    soon_.expires_after(settings_.checks.coalesce);
    soon_.async_wait([this, alive = std::weak_ptr(alive_)](const base::Error& cancelled) {
        if (cancelled || alive.expired() || stopped_) return;
        soon_due_ = false;
        look();
    });
}

void Observatory::look() {
    if (stopped_ || !board_.refresh(Clock::now())) return;
    on_change_();
    save();
}

void Observatory::tick() {
    tick_.expires_after(kTick);
    tick_.async_wait([this, alive = std::weak_ptr(alive_)](const base::Error& cancelled) {
        if (cancelled || alive.expired() || stopped_) return;
        if (!board_.is_alone()) look();
        tick();
    });
}

void Observatory::restore() {
    if (settings_.joint_file.empty()) return;
    const auto saved = read_verdicts(settings_.joint_file, std::chrono::system_clock::now());
    if (saved) {
        saved_joint_ = *saved;
        board_.restore(*saved, Clock::now());
        return;
    }
    log::event(
        log::Level::warning,
        "verdict_file_unreadable",
        {{"file", settings_.joint_file}, {"error", saved.error().message()}}
    );
}

void Observatory::save() {
    if (settings_.joint_file.empty()) return;
    auto joint = board_.joint(Clock::now());
    if (joint.empty() && saved_joint_.empty()) return;
    const auto written =
        write_verdicts(settings_.joint_file, joint, std::chrono::system_clock::now());
    if (written) {
        saved_joint_ = std::move(joint);
        return;
    }
    log::event(
        log::Level::warning,
        "verdict_file_not_written",
        {{"file", settings_.joint_file}, {"error", written.error().message()}}
    );
}

void Observatory::stop() {
    if (stopped_) return;
    stopped_ = true;
    soon_.cancel();
    tick_.cancel();
    save();
    checker_.stop();
}

}  // namespace twinsite::gslb::health
