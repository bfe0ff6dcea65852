// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace twinsite::base::http {

/// Server-sent events to one client. All of it on the server's thread; it may outlive the
/// connection and the server, and then does nothing. A comment line every 15 s keeps the
/// connection alive by itself.
class EventStream {
public:
    static constexpr std::size_t kUnsentBytes = 1024 * 1024;

    /// `data` may hold line ends; `event` and `id` must not (what follows one is cut), and an empty
    /// one is left out. False: closed, or the client reads so slowly that more than kUnsentBytes
    /// wait, and then it is closed too.
    bool send(std::string_view event, std::string_view id, std::string_view data);
    /// What was sent before still goes out.
    void close();
    bool open() const { return open_; }
    /// Called once when the client or the server has ended it, or it was too slow; not within
    /// `send`, not after `close`, nor when the server is destroyed. Called at once when that has
    /// happened already.
    void on_gone(std::function<void()> gone);

private:
    friend class EventWriter;
    friend class EventSession;
    void end(bool tell);

    bool open_ = true;
    bool over_ = false;           ///< The connection is done with it.
    bool ended_by_peer_ = false;  ///< Not by `close`.
    std::string unsent_;
    std::size_t in_flight_ = 0;
    std::function<void()> wake_;
    std::function<void()> cut_;  ///< Ends the connection now.
    std::function<void()> gone_;
};

}  // namespace twinsite::base::http
