// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/stat.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "base/error/result.hpp"

namespace twinsite::base::http {

/// A listening Unix socket and its file.
struct UnixListener {
    boost::asio::local::stream_protocol::acceptor acceptor;
    std::string path;
    dev_t device;  ///< With `inode`: which file is ours, should somebody else replace it.
    ino_t inode;
};

/// False when the path is longer than a socket address holds (107 bytes).
bool fits_socket_address(const std::string& path);
/// Creates the socket file with `mode`. A file that a dead process left is replaced.
/// Errors: address_in_use when somebody listens, bad_socket_path, and those of the system.
Result<UnixListener> listen_on_unix(
    const boost::asio::any_io_executor& executor, const std::string& path, unsigned mode
);
/// Removes the socket's file if it is still the one that was created.
void remove_socket_file(const UnixListener& listener);

}  // namespace twinsite::base::http
