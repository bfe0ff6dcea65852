// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/http/message.hpp"

namespace twinsite::base::http {

class PendingAnswer;

/// The answer to one request, to be given now or later. Copies stand for the same answer. All of it
/// on the server's thread; it may outlive the connection and the server, and then does nothing.
/// When the last copy goes without an answer, the client gets a 500.
class Reply {
public:
    /// Of `handle` of a router, and of tests.
    explicit Reply(std::shared_ptr<PendingAnswer> pending);

    /// The first call counts.
    void reply(Response response) const;
    /// Called once when nobody waits for the answer any more: the client has closed, the server
    /// stops, or Limits::later has passed. Not after an answer, nor when the server is destroyed.
    /// Called at once when that has happened already.
    void on_gone(std::function<void()> gone) const;
    /// Somebody waits and has no answer yet.
    bool waiting() const;

private:
    struct Last;
    std::shared_ptr<Last> last_;
};

}  // namespace twinsite::base::http
