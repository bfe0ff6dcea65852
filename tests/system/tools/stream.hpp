// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "tests/system/tools/mutation.hpp"

namespace twinsite::hostile {

/// A blocking stream connection with a deadline on every read; what went wrong is told by `false`,
/// since a server may close a hostile connection at any time.
class Stream {
public:
    /// `target` is "IP:PORT", or a path of a Unix socket. Throws std::runtime_error when nothing
    /// listens there: that is the failure the test looks for.
    Stream(const std::string& target, const std::string& source);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Sends all of it while also taking what the peer sends, so that neither side blocks.
    bool send_all(const Bytes& data);
    /// Waits for more bytes (appended to `received()`); false at the end of the stream or after
    /// `limit`.
    bool read_some(std::chrono::milliseconds limit);
    /// Says that nothing more comes, then reads to the end; false when the peer did not close.
    bool finish(std::chrono::milliseconds limit);
    /// Makes the close an abort (RST).
    void abort_on_close();

    Bytes& received() { return received_; }

private:
    int fd_ = -1;
    Bytes received_;
};

}  // namespace twinsite::hostile
