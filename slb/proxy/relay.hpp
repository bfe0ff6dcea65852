// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "slb/balance/balancer.hpp"
#include "slb/balance/loads.hpp"
#include "slb/proxy/client_table.hpp"
#include "slb/proxy/counters.hpp"
#include "slb/proxy/engine.hpp"
#include "slb/proxy/pending.hpp"
#include "slb/proxy/request.hpp"
#include "slb/proxy/retained.hpp"
#include "slb/proxy/settings.hpp"
#include "slb/session/placement.hpp"

namespace twinsite::slb::proxy {

class BladeLink;

/// The heart of a shard: takes requests from clients to blades and answers back. Knows which
/// session lives where, which request waits at which blade, and what to do when a blade does not
/// answer. Every request taken is answered once: by a blade, or by us with an error.
/// Shard thread only; nothing here allocates, logs or asks for the time per message.
class Relay {
public:
    Relay(Engine& engine, const Settings& settings);
    ~Relay();

    /// Limits, blades and their states as they should be now. Blades that stay keep their links.
    void use(const Settings& settings);
    /// Time-outs, suspicion, expiry of sessions. Every few milliseconds.
    void on_tick();

    // Messages.
    Request read(std::span<std::uint8_t> message) const {
        auto request = read_request(message, key_, host_);
        placement_.prefetch(request.tag);
        return request;
    }
    void on_request(ClientLink& client, const Request& request);
    void on_answer(BladeLink& blade, std::span<std::uint8_t> message);
    /// A request of a blade for a client: not served yet, answered 3002.
    void on_blade_request(BladeLink& blade, std::span<std::uint8_t> message);
    void on_unexpected() { ++counters_.unexpected; }

    // Blades.
    /// Whether it may get new sessions may have changed.
    void on_blade_changed(const BladeLink& blade);
    void on_blade_lost(BladeLink& blade);
    void on_blade_suspected(BladeLink& blade);
    void on_blade_lost_state(const BladeLink& blade);

    const std::vector<std::unique_ptr<BladeLink>>& blades() const { return blades_; }
    ClientTable& clients() { return clients_; }
    RelayCounters& counters() { return counters_; }
    const session::Placement& placement() const { return placement_; }
    std::size_t pending() const { return retained_.in_use(); }
    std::size_t retained_bytes() const { return retained_.allocated_bytes(); }

private:
    struct Choice {
        BladeLink* blade = nullptr;
        std::uint32_t refusal = 0;  ///< Result-Code when there is no blade
    };
    enum class Reason : std::uint8_t { silence, time_out, loss };

    // Deciding.
    std::uint32_t check(const Request& request) const;
    Choice choose(const Request& request);
    Choice choose_known(const Request& request, BladeLink& home);
    Choice choose_new(const Request& request);
    /// The blade that the request names, when it may have its session.
    BladeLink* hinted(const Request& request) const;
    BladeLink* pick();
    /// When `pick` found none: a silent blade as a last resort, or why not.
    Choice last_resort(session::Tag tag);
    BladeLink* place(session::Tag tag, BladeLink& blade);

    // Doing.
    void send(BladeLink& blade, ClientLink& client, const Request& request);
    void refuse(ClientLink& client, std::span<const std::uint8_t> message, std::uint32_t result);
    void refuse_malformed(ClientLink& client, std::span<const std::uint8_t> message);
    void end_session(const Pending& slot, std::uint32_t result);
    void release(BladeLink& blade, Pending& slot);
    void move_all(BladeLink& from, Reason reason);
    bool move(BladeLink& from, Pending& slot, Reason reason);
    BladeLink* other_blade(BladeLink& from, session::Tag tag);
    void resend(BladeLink& to, const Pending& slot);
    void give_up(BladeLink& blade, Pending& slot);
    void check_blade(BladeLink& blade);
    void sweep_sessions();

    // Blades as configured.
    BladeLink* find_blade(std::string_view name) const;
    void add_blade(const BladeSettings& blade, const Settings& settings);
    void retire_gone();

    Engine& engine_;
    // changed by `use`
    std::string host_;
    wire::diameter::Identity self_;
    std::vector<std::uint32_t> applications_;
    std::uint32_t timeout_us_ = 0;
    std::uint32_t suspect_after_us_ = 0;
    unsigned tries_ = 1;
    std::string balance_;
    std::unique_ptr<balance::Balancer> balancer_;
    // changes
    session::TagKey key_;
    session::Placement placement_;
    session::Tick tick_ = 0;
    Engine::Time started_;
    Engine::Time next_sweep_{};
    balance::Loads loads_;
    std::vector<std::uint64_t> seeds_;                ///< of the blades, for rendezvous
    std::vector<std::unique_ptr<BladeLink>> blades_;  ///< by index; nullptr: free
    ClientTable clients_;
    RetainedStore retained_;
    RelayCounters counters_;
    std::vector<std::uint8_t> scratch_;  ///< for answers of our own
};

}  // namespace twinsite::slb::proxy
