// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/net/endpoint.hpp"
#include "cli/demo/charging.hpp"
#include "cli/demo/ledger.hpp"

namespace twinsite::cli::demo {

/// One network element of the demo: finds the service by DNS, keeps a Diameter link to it, charges
/// sessions over it. A link without a good answer for a while is left, and the name is resolved
/// again: links do not follow DNS by themselves. Everything on the thread of one executor.
class Element {
public:
    struct Config {
        std::string site;              ///< Where it stands: "east" or "west".
        base::text::IpAddress client;  ///< The address that it asks and calls from.
        /// The name servers, the one of its own site first.
        std::vector<base::net::Endpoint> name_servers;
        int rate = 100;  ///< Requests per second.
        std::uint32_t seed = 0;
    };
    /// Hears one line of text for people: link opened, link lost, and why.
    using Note = std::function<void(const std::string& text)>;
    using OnOutage = std::function<void(const Outage& outage)>;

    Element(boost::asio::any_io_executor executor, Config config, Note note, OnOutage on_outage);
    ~Element();
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;

    /// Keeps a link until `leave`. Comes back when the link is closed.
    boost::asio::awaitable<void> run();
    /// Sends what is due, and looks at every deadline. To be called every few milliseconds.
    void tick(Time now);
    /// No new sessions; the open ones go on.
    void finish();
    bool finished() const;
    /// Says good-bye to the peer and ends `run`.
    void leave(Time now);

    const Config& config() const;
    Ledger& ledger();
    /// Requests without an answer.
    std::size_t pending() const;
    /// Where the open link goes; nullopt while there is none.
    std::optional<base::net::Endpoint> link() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::cli::demo
