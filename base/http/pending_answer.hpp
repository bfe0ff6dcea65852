// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "base/http/message.hpp"

namespace twinsite::base::http {

/// What a Reply and the connection that waits for it share.
class PendingAnswer {
public:
    // the handler's side
    void answer(Response response);
    void on_gone(std::function<void()> gone);
    bool waiting() const { return !response_ && !ended_; }

    // the connection's side
    bool answered() const { return response_.has_value(); }
    Response take();
    /// `wake` is called when an answer comes; empty: nobody listens any more.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    /// The server answers in the place of the handler, which hears of it.
    void give_up(Response response);
    /// Nobody waits any more. `tell`: the handler hears of it.
    void end(bool tell);

private:
    bool ended_ = false;
    std::optional<Response> response_;
    std::function<void()> wake_;
    std::function<void()> gone_;
};

}  // namespace twinsite::base::http
