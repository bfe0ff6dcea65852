// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/client_link.hpp"

#include <array>

#include "base/log/log.hpp"
#include "slb/proxy/relay.hpp"
#include "slb/proxy/request.hpp"
#include "slb/proxy/socket.hpp"
#include "wire/diameter/header.hpp"

namespace twinsite::slb::proxy {

namespace log = base::log;
using wire::diameter::DownCause;
using wire::diameter::HeaderView;

namespace {

/// A client that does not read its answers is not read either, from here on.
constexpr std::size_t kPauseBytes = 1024 * 1024;

}  // namespace

ClientLink::ClientLink(Engine& engine, Relay& relay, ClientId id, wire::diameter::Peer peer)
    : Link(engine, std::move(peer)), relay_(relay), id_(id) {}

void ClientLink::start(base::file::Descriptor socket) {
    const auto remote = remote_endpoint(socket.number());
    address_ = remote ? base::net::to_string(*remote) : "unknown";
    attach(std::move(socket), false);
}

void ClientLink::on_batch(std::span<const Message> batch) {
    if (lingering_) return;
    // First pass: read, and ask for the memory that the second pass will touch.
    std::array<Request, kBatch> requests;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const HeaderView header(batch[i]);
        if (!header.is_request() || header.is_of_base_protocol()) continue;
        requests[i] = relay_.read(batch[i]);
    }
    for (std::size_t i = 0; i < batch.size() && connected(); ++i) {
        const HeaderView header(batch[i]);
        // Anything but a clean request of an application goes through the state machine.
        if (!requests[i].message.empty() && !header.is_error() && peer().delivers(true)) {
            relay_.on_request(*this, requests[i]);
        } else {
            step_message(batch[i]);
        }
    }
    // Answers of the state machine count like those of the relay.
    if (waiting_bytes() > kPauseBytes) pause_reading(true);
}

void ClientLink::on_delivered(Message message) {
    if (HeaderView(message).is_request()) return relay_.on_request(*this, relay_.read(message));
    relay_.on_unexpected();
}

void ClientLink::answer(std::span<const std::uint8_t> message) {
    write(message);
    if (waiting_bytes() > kPauseBytes) pause_reading(true);
    if (--pending_ == 0 && (lingering_ || !held_dpa_.empty())) all_answered();
}

void ClientLink::on_flushed() {
    if (waiting_bytes() < kPauseBytes / 2) pause_reading(false);
}

void ClientLink::all_answered() {
    if (!held_dpa_.empty()) write(held_dpa_);
    held_dpa_.clear();
    if (!lingering_) return;
    lingering_ = false;
    close_gently();
}

void ClientLink::on_leaving(std::span<const std::uint8_t> answer) {
    // The DPA makes the client close. Its pending answers go first; the peer state machine's grace
    // bounds the wait.
    held_dpa_.assign(answer.begin(), answer.end());
    if (pending_ == 0) all_answered();
}

void ClientLink::on_opened() {
    log::event(
        log::Level::info,
        "client_connected",
        {{"client", peer().capabilities().host}, {"address", address_}}
    );
}

bool ClientLink::keeps_transport() {
    // It has answered our DPR; it sends nothing more, but still waits for answers.
    lingering_ = peer().down_cause() == DownCause::stopped && pending_ > 0 && connected();
    return lingering_;
}

void ClientLink::on_down() {
    if (!held_dpa_.empty() && connected()) write(held_dpa_);
    held_dpa_.clear();
    if (peer().down_cause() == DownCause::bad_stream) ++relay_.counters().bad_streams;
    if (peer().down_cause() == DownCause::refused) ++relay_.counters().peers_refused;
    log_down();
}

void ClientLink::log_down() const {
    log::event(
        log::Level::info,
        "client_disconnected",
        {{"client", peer().capabilities().host},
         {"address", address_},
         {"cause", wire::diameter::to_string(peer().down_cause())},
         {"result_code", peer().refusal()},
         {"pending", pending_}}
    );
}

}  // namespace twinsite::slb::proxy
