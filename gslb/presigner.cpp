// SPDX-License-Identifier: Apache-2.0
#include "gslb/presigner.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/log/log.hpp"
#include "gslb/answer/likely_states.hpp"

namespace twinsite::gslb {

Presigner::Presigner(boost::asio::io_context& io, std::function<Basis()> basis)
    : io_(io), basis_(std::move(basis)), pause_(io) {}

Presigner::~Presigner() {
    if (thread_.joinable()) thread_.join();
}

void Presigner::note_change() {
    // Checks of many targets change their verdicts one after the other.
    constexpr std::chrono::milliseconds kPause{200};
    if (stopped_ || waiting_) return;
    waiting_ = true;
    pause_.expires_after(kPause);
    pause_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled && !busy_) begin();
    });
}

void Presigner::stop() {
    stopped_ = true;
    pause_.cancel();
}

void Presigner::begin() {
    waiting_ = false;
    auto basis = basis_();
    if (basis.setup.signers.empty()) return;
    busy_ = true;
    answer::ZoneSigners copies;
    for (const auto& signer : basis.setup.signers)
        copies.push_back(std::make_shared<zone::VariantSigner>(*signer));
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this, basis = std::move(basis), copies = std::move(copies)] {
        auto made = sign(basis, copies);
        boost::asio::post(io_, [this, made = std::move(made)] { finish(made); });
    });
}

std::vector<Presigner::Made> Presigner::sign(
    const Basis& basis, const answer::ZoneSigners& copies
) {
    const auto& setup = basis.setup;
    // What the copies had not given away yet is the helm's own.
    for (const auto& copy : copies) copy->take_new();
    answer::SnapshotBuilder builder(setup.index, setup.prefixes, setup.steering, 1, copies);
    for (const auto& states : answer::likely_states(*setup.steering, basis.states))
        builder.build(states);
    std::vector<Made> out;
    for (std::size_t i = 0; i < copies.size(); ++i)
        out.push_back({setup.signers[i], copies[i]->take_new()});
    return out;
}

void Presigner::finish(const std::vector<Made>& made) {
    busy_ = false;
    std::size_t count = 0;
    for (const auto& each : made) {
        each.signer->accept(each.signatures);
        count += each.signatures.size();
    }
    if (count > 0)
        base::log::event(base::log::Level::debug, "variants_signed_ahead", {{"count", count}});
    if (waiting_ && !stopped_) begin();
}

}  // namespace twinsite::gslb
