// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/net/endpoint.hpp"

namespace twinsite::tests {

/// A blocking TCP (or Unix) connection that sends and reads exactly what a test says. Reads give up
/// after 10 s, so that a broken server fails a test instead of hanging it.
class RawConnection {
public:
    explicit RawConnection(const base::net::Endpoint& to);
    explicit RawConnection(const std::string& unix_path);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    bool connected() const { return connected_; }
    /// False when the peer has closed.
    bool send(std::string_view bytes);
    /// What comes next, at most `size` bytes; "" at the end of the stream.
    std::string read_some(std::size_t size = 65536);
    /// Reads until `mark` has been seen or the stream ends.
    std::string read_until(std::string_view mark);
    std::string read_to_end();
    /// True when the peer closes without sending anything more.
    bool closed_by_peer() { return read_some().empty(); }
    void shut_down_sending();

private:
    int handle_;
    bool connected_ = false;
};

}  // namespace twinsite::tests
