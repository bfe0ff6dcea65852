// SPDX-License-Identifier: Apache-2.0
#include "tools/io/stream.hpp"

#include <cerrno>
#include <sys/socket.h>

namespace twinsite::tools::io {
namespace {

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Stream::Read Stream::read(bool& filled_room) {
    const auto room = framer_.prepare();
    const auto got = recv(socket_.number(), room.data(), room.size(), 0);
    filled_room = false;
    if (got < 0) return would_block() ? Read::nothing : Read::lost;
    if (got == 0) return Read::lost;
    framer_.commit(static_cast<std::size_t>(got));
    filled_room = static_cast<std::size_t>(got) == room.size();
    return Read::some;
}

bool Stream::flush() {
    while (!out_.empty()) {
        const auto left = out_.content();
        const auto sent = send(socket_.number(), left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0) return would_block();
        out_.drop(static_cast<std::size_t>(sent));
        if (static_cast<std::size_t>(sent) < left.size()) return true;
    }
    return true;
}

void Stream::close() {
    socket_.close();
    framer_.reset();
    out_.clear();
}

}  // namespace twinsite::tools::io
