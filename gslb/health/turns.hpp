// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb::health {

/// Lets at most so many in at a time; others wait in the order of their coming. One thread.
class Turns : public std::enable_shared_from_this<Turns> {
public:
    /// `most` at least 1.
    Turns(boost::asio::io_context& io, std::size_t most) : io_(io), most_(most) {}

    /// Ends the turn with its life. Empty: the wait was cancelled.
    class Turn {
    public:
        Turn() = default;
        explicit Turn(std::shared_ptr<Turns> turns) : turns_(std::move(turns)) {}
        Turn(Turn&&) noexcept = default;
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (turns_) turns_->leave();
        }
        explicit operator bool() const { return turns_ != nullptr; }

    private:
        std::shared_ptr<Turns> turns_;
    };
    boost::asio::awaitable<Turn> enter();

    /// The new bound holds for those who come from now on.
    void limit(std::size_t most) { most_ = most; }
    std::size_t inside() const { return inside_; }
    std::size_t waiting() const { return queue_.size(); }

private:
    struct Waiter {
        boost::asio::steady_timer bell;
        bool called = false;
    };
    void leave();

    boost::asio::io_context& io_;
    std::size_t most_;
    std::size_t inside_ = 0;
    std::deque<std::shared_ptr<Waiter>> queue_;
};

}  // namespace twinsite::gslb::health
