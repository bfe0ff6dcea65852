// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/release.hpp"

#include <algorithm>

#include "base/log/log.hpp"

namespace twinsite::slb::proxy {

using State = ReleaseStatus::State;

std::string_view to_string(State state) {
    switch (state) {
        case State::idle:
            return "idle";
        case State::running:
            return "running";
        case State::done:
            return "done";
        case State::stopped:
            break;
    }
    return "stopped";
}

void Release::start(ClientTable& clients, double per_second, Time now) {
    waiting_.clear();
    asked_.clear();
    unasked_ = 0;
    // Who is about to connect has just looked up our name.
    clients.for_each([this](const ClientLink& client) {
        if (client.peer().delivers(true)) waiting_.push_back(client.id());
    });
    std::reverse(waiting_.begin(), waiting_.end());  // the oldest places first
    total_ = waiting_.size();
    per_second_ = per_second;
    next_at_ = now;
    state_ = total_ == 0 ? State::done : State::running;
}

void Release::stop() {
    if (state_ != State::running) return;
    state_ = State::stopped;
    unasked_ = waiting_.size();
    waiting_.clear();
}

void Release::on_tick(ClientTable& clients, Time now) {
    if (asked_.empty() && state_ != State::running) return;
    const auto gap =
        std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(1 / per_second_));
    for (; !waiting_.empty() && now >= next_at_; next_at_ += gap) ask_next(clients);
    std::erase_if(asked_, [&](ClientId id) { return clients.find(id) == nullptr; });
    if (state_ != State::running || !waiting_.empty() || !asked_.empty()) return;
    state_ = State::done;
    base::log::event(base::log::Level::info, "release_done", {{"clients", total_}});
}

void Release::ask_next(ClientTable& clients) {
    const auto id = waiting_.back();
    waiting_.pop_back();
    auto* const client = clients.find(id);
    if (client == nullptr) return;  // left by itself
    client->stop(wire::diameter::DisconnectCause::rebooting, kClientGrace);
    asked_.push_back(id);
    ++asked_in_all_;
}

ReleaseStatus Release::status() const {
    ReleaseStatus out;
    out.state = state_;
    out.total = total_;
    out.released = total_ - unasked_ - waiting_.size() - asked_.size();
    return out;
}

}  // namespace twinsite::slb::proxy
