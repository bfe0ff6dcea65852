// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slb/proxy/link.hpp"

namespace twinsite::slb::proxy {

class Relay;

/// Names a client link for the answers that are on their way to it: index and generation.
using ClientId = std::uint32_t;

/// The connection of one client. Made when it is accepted, gone when it ends.
class ClientLink final : public Link {
public:
    ClientLink(Engine& engine, Relay& relay, ClientId id, wire::diameter::Peer peer);

    void start(base::file::Descriptor socket);

    ClientId id() const { return id_; }
    std::uint32_t pending() const { return pending_; }
    const std::string& address() const { return address_; }
    /// The relay took a request of ours / has answered one.
    void request_taken() { ++pending_; }
    void answer(std::span<const std::uint8_t> message);

protected:
    void on_batch(std::span<const Message> batch) override;
    void on_opened() override;
    void on_down() override;
    void on_delivered(Message message) override;
    void on_leaving(std::span<const std::uint8_t> answer) override;
    bool keeps_transport() override;
    void on_flushed() override;

private:
    void all_answered();
    void log_down() const;

    Relay& relay_;
    const ClientId id_;
    std::uint32_t pending_ = 0;
    bool lingering_ = false;  ///< only waits for its answers
    std::vector<std::uint8_t> held_dpa_;
    std::string address_;
};

}  // namespace twinsite::slb::proxy
