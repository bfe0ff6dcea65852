// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/condition.hpp"

#include <algorithm>
#include <bit>

namespace twinsite::switchover::judge {

namespace {

/// The newest `n` bits.
std::uint8_t newest(std::uint8_t bits, unsigned n) {
    return static_cast<std::uint8_t>(bits & ((1U << n) - 1U));
}

std::uint8_t shifted(std::uint8_t bits, bool low) {
    return static_cast<std::uint8_t>((unsigned{bits} << 1U) | (low ? 1U : 0U));
}

}  // namespace

const char* to_string(ConditionState state) noexcept {
    static constexpr std::array kWords{"UNKNOWN", "CLEAR", "PENDING", "FIRING", "INSUFFICIENT"};
    return kWords[static_cast<std::size_t>(state)];
}

bool Condition::beyond(double value, double limit) const {
    return rule_->side == Side::below ? value < limit : value > limit;
}

bool Condition::sample(double value, Time measured, double volume) {
    if (newest_ && measured <= *newest_) return false;
    if (not_before_ && measured < *not_before_) return false;
    newest_ = measured;
    value_ = value;
    volume_ = volume;
    if (volume < rule_->min_volume) return false;
    std::shift_right(at_.begin(), at_.end(), 1);
    at_[0] = measured;
    beyond_enter_ = shifted(beyond_enter_, beyond(value, rule_->enter));
    beyond_leave_ = shifted(beyond_leave_, beyond(value, rule_->leave));
    count_ = static_cast<std::uint8_t>(std::min<unsigned>(count_ + 1U, rule_->n));
    judge_window();
    return true;
}

unsigned Condition::bad() const {
    const auto bits = firing_ ? beyond_leave_ : beyond_enter_;
    return static_cast<unsigned>(std::popcount(newest(bits, count_)));
}

Time Condition::first_bad() const {
    const auto bits = newest(beyond_enter_, count_);
    return at_[static_cast<std::size_t>(std::bit_width(bits)) - 1];
}

void Condition::judge_window() {
    if (firing_) {
        // As many good ones as it takes that the bad ones cannot be `m` any more.
        const auto enough = std::max(rule_->m, rule_->n - rule_->m + 1);
        if (count_ - bad() < enough) return;
        firing_ = false;
        since_.reset();
        return;
    }
    if (bad() < rule_->m) {
        since_.reset();
        return;
    }
    if (!since_) since_ = first_bad();
    if (beyond_enter_ & 1U) last_bad_ = at_[0];
    firing_ = last_bad_ - *since_ >= rule_->hold;
}

Duration Condition::lasted() const {
    if (!since_) return Duration{0};
    return std::chrono::duration_cast<Duration>(last_bad_ - *since_);
}

ConditionState Condition::without_data(Time now, Time last) {
    const auto silent_since = last + rule_->no_data_after;
    if (rule_->no_data == NoData::ok) return ConditionState::clear;
    if (rule_->no_data == NoData::fail)
        return now - silent_since >= rule_->hold ? ConditionState::firing : ConditionState::pending;
    const bool kept = now <= silent_since + rule_->no_data_after;
    if (kept && firing_) return ConditionState::firing;
    if (kept && since_) return ConditionState::pending;
    if (kept) return ConditionState::clear;
    firing_ = false;
    since_.reset();
    count_ = 0;
    return ConditionState::unknown;
}

ConditionState Condition::evaluate(Time now) {
    const bool sparse = newest_ && now <= *newest_ + rule_->no_data_after;
    if (count_ == 0) return sparse ? ConditionState::insufficient : ConditionState::unknown;
    if (now > at_[0] + rule_->no_data_after) {
        if (sparse && !firing_) return ConditionState::insufficient;
        return without_data(now, at_[0]);
    }
    if (firing_) return ConditionState::firing;
    if (sparse && volume_ < rule_->min_volume) return ConditionState::insufficient;
    return since_ || (beyond_enter_ & 1U) ? ConditionState::pending : ConditionState::clear;
}

void Condition::restart(Time now) {
    not_before_ = now + rule_->grace;
    count_ = 0;
    beyond_enter_ = 0;
    beyond_leave_ = 0;
    firing_ = false;
    since_.reset();
    newest_.reset();
}

}  // namespace twinsite::switchover::judge
