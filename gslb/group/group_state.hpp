// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/async/task_group.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls_files.hpp"
#include "base/log/log.hpp"
#include "gslb/group/group.hpp"
#include "gslb/group/link.hpp"
#include "gslb/group/talk.hpp"

/// The inside of Group; for its source files only.
namespace twinsite::gslb::group {

/// One configured peer.
struct Member {
    PeerView view;
    std::shared_ptr<Link> link;
    std::unique_ptr<Talk> talk;
    std::optional<std::chrono::steady_clock::time_point> heard;
    std::uint64_t sent_seq = 0;
    std::uint64_t heard_seq = 0;
    std::chrono::steady_clock::time_point sent_at{};
};

class Group::State : public std::enable_shared_from_this<Group::State> {
public:
    State(boost::asio::io_context& io, GroupSettings settings, SharedState& shared);

    base::Result<base::net::Endpoint> start();
    void stop();
    void abort();
    template <class Say>
    void tell(Say say) {
        for (const auto& member : members_)
            if (member->talk) say(*member);
    }
    std::vector<PeerView> peers() const;
    std::optional<bool> hears_other_site() const;
    GroupCounters counters() const;

private:
    using MemberRef = std::shared_ptr<Member>;

    static boost::asio::awaitable<void> accept(std::shared_ptr<State> self);
    static boost::asio::awaitable<void> welcome(
        std::shared_ptr<State> self, std::unique_ptr<base::http::Stream> stream
    );
    static boost::asio::awaitable<void> dial(std::shared_ptr<State> self, MemberRef member);
    static boost::asio::awaitable<void> beat(std::shared_ptr<State> self);

    boost::asio::awaitable<base::Result<std::unique_ptr<base::http::Stream>>> connect(
        MemberRef member
    );
    boost::asio::awaitable<base::Result<void>> shake_hands(base::http::Stream& stream);
    boost::asio::awaitable<base::Result<void>> serve(MemberRef member, std::shared_ptr<Link> link);
    boost::asio::awaitable<base::Result<wire::group::Hello>> exchange_hellos(Link& link);
    bool install(
        Member& member, const std::shared_ptr<Link>& link, const wire::group::Hello& hello
    );
    void uninstall(Member& member, const std::shared_ptr<Link>& link, const base::Error& why);
    bool take(Member& member, const wire::group::Frame& frame);
    base::Result<void> take_heartbeat(Member& member, const std::string& payload);
    void greet(Member& member);
    void look_after(Member& member, bool digest_due);
    void refresh_trust();
    MemberRef find(std::string_view name) const;
    bool is_silent(const Member& member) const;
    bool prefers(const Member& member, const Link& link) const;
    void notice();

    // fixed after construction
    boost::asio::io_context& io_;
    const GroupSettings settings_;
    SharedState& shared_;
    // owned by the loop
    std::mt19937_64 random_;
    std::shared_ptr<base::http::TlsFiles> server_files_;
    std::shared_ptr<base::http::TlsFiles> client_files_;
    std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
    std::vector<MemberRef> members_;
    std::optional<bool> noticed_;
    GroupCounters counters_;
    std::size_t unknown_ = 0;  ///< accepted, and not yet known
    bool stopping_ = false;
    base::log::Throttle refusals_{std::chrono::seconds(10)};
    base::async::TaskGroup tasks_;
};

}  // namespace twinsite::gslb::group
