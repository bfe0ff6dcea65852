// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "switchover/api/context.hpp"

namespace twinsite::base::http {
class EventStream;
}

namespace twinsite::switchover::api {

/// The open event streams (/api/v1/events): each gets the whole state at its beginning, then
/// `overview` when something changed and at least every two seconds, `hosts` with it, and `run`
/// when a run changed. One thread.
class EventHub {
public:
    using Stream = std::shared_ptr<base::http::EventStream>;
    /// Whether the login with this digest still holds.
    using Holds = std::function<bool(const std::string& session)>;

    explicit EventHub(Context& context) : context_(context) {}

    /// A response refuses: too many.
    std::optional<base::http::Response> add(const Caller& caller, Stream stream);
    void tick(const Holds& holds);
    void run_changed(const RunView& run);
    void stop();
    std::size_t size() const { return members_.size(); }
    /// The data of `hosts`: at most about half of what a stream may hold unsent.
    std::string hosts_text();

private:
    struct Member {
        std::uint64_t key = 0;
        Stream stream;
        std::string who;
        std::string session;  // empty: by certificate
    };
    void send_all(const char* event, const std::string& data);
    bool send(const Stream& stream, const char* event, const std::string& data);
    std::string overview_text();
    static std::string run_text(const RunView& run);

    Context& context_;
    std::list<Member> members_;
    std::uint64_t last_key_ = 0;
    std::uint64_t last_id_ = 0;
    std::uint64_t sent_revision_ = 0;
    fleet::Time sent_{};
    bool stopped_ = false;
};

}  // namespace twinsite::switchover::api
