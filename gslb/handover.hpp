// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/server/socket.hpp"

namespace boost::asio {
class io_context;
}

/// One process takes over the DNS sockets of another, so that a new program replaces the old one
/// and no query is lost: the sockets with all that waits in them pass through a Unix socket, both
/// serve for a moment, then the old one lets go. If the new one fails before, the old one goes on.
///
/// The talk: "TAKE 1"; "SOCKETS n" and the sockets; (the new one starts) "SERVING";
/// "COUNTS n" and n lines "name value". A line ends with '\n'.
namespace twinsite::gslb {

/// Counters of a server by name.
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// Lines "name value"; anything else: nullopt.
std::optional<NamedCounts> decode_counts(std::string_view text);
std::string encode_counts(const NamedCounts& counts);

/// What a new process has got from the old one. All calls wait, a few seconds at most.
class Inheritance {
public:
    /// Asks the process at `path` for its sockets.
    static base::Result<Inheritance> take(const std::string& path);

    std::vector<server::Socket> sockets;
    /// Says that we serve. The counts of the old process, which has let go of everything then.
    base::Result<NamedCounts> confirm();

private:
    server::Socket talk_;
};

/// Starts the program's file, as it is now, with our own arguments and --replace: its process
/// number. It stays among the processes of our service.
base::Result<int> start_successor();

/// The old process's side: waits at `path` for its successor. On the thread of `io`.
class HandoverDoor {
public:
    struct Seams {
        std::function<std::vector<int>()> sockets;
        /// A successor is starting (true), or has given up (false): change nothing meanwhile.
        std::function<void(bool)> freeze;
        /// It serves: let go of the sockets and close everything else that listens.
        std::function<NamedCounts()> let_go;
        /// It knows all: end. The number is its process.
        std::function<void(int)> end;
    };
    HandoverDoor(boost::asio::io_context& io, Seams seams);
    ~HandoverDoor();
    HandoverDoor(const HandoverDoor&) = delete;
    HandoverDoor& operator=(const HandoverDoor&) = delete;

    /// Only processes of the same user, or root, are let in.
    base::Result<void> open(const std::string& path);
    void close();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb
