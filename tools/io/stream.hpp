// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/file/descriptor.hpp"
#include "tools/io/output_buffer.hpp"
#include "wire/diameter/framer.hpp"

namespace twinsite::tools::io {

/// One TCP connection of Diameter messages: big reads into a framer, and one write per turn of
/// everything that has been appended to `out`.
class Stream {
public:
    enum class Read : std::uint8_t {
        some,     ///< bytes came; there may be more
        nothing,  ///< nothing left for now
        lost      ///< closed or reset
    };

    Stream() = default;
    explicit Stream(base::file::Descriptor socket) : socket_(std::move(socket)) {}

    /// Begins anew with this socket; nothing of the old connection is left.
    void open(base::file::Descriptor socket) {
        close();
        socket_ = std::move(socket);
    }
    const base::file::Descriptor& socket() const { return socket_; }
    bool is_open() const { return socket_.is_open(); }
    wire::diameter::Framer& framer() { return framer_; }
    OutputBuffer& out() { return out_; }
    const OutputBuffer& out() const { return out_; }

    /// One read. `some` and a read that did not fill the room mean that the next would block.
    Read read(bool& filled_room);
    /// Writes what the socket takes. False when the connection is lost.
    bool flush();
    void close();

private:
    base::file::Descriptor socket_;
    wire::diameter::Framer framer_;
    OutputBuffer out_;
};

}  // namespace twinsite::tools::io
