// SPDX-License-Identifier: Apache-2.0
#include "base/http/unix_socket.hpp"

#include <cerrno>
#include <sys/un.h>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <unistd.h>

#include "base/http/error.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

namespace {

Error system_failure() {
    return {errno, boost::system::system_category()};
}

/// Makes room for our file: nothing there, or the file of a process that is gone.
Result<void> remove_stale(const asio::any_io_executor& executor, const std::string& path) {
    struct stat there{};
    if (::lstat(path.c_str(), &there) != 0)
        return errno == ENOENT ? Result<void>() : Result<void>(system_failure());
    if (!S_ISSOCK(there.st_mode)) return Errc::bad_socket_path;
    Local::socket probe(executor);
    Error failure;
    probe.open(Local(), failure);
    if (!failure) probe.native_non_blocking(true, failure);
    if (failure) return failure;
    // Not Asio's connect, which would wait where the backlog of a living listener is full.
    const Local::endpoint at(path);
    const int connected =
        ::connect(probe.native_handle(), at.data(), static_cast<socklen_t>(at.size()));
    if (connected == 0 || (errno != ECONNREFUSED && errno != ENOENT))
        return Error(asio::error::address_in_use);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure();
    return {};
}

/// Binds so that the file never has more rights than `mode`, not even for a moment.
Error bind_with_mode(Local::acceptor& acceptor, const std::string& path, unsigned mode) {
    Error failure;
    const auto before = ::umask(0777);
    acceptor.bind(Local::endpoint(path), failure);
    ::umask(before);
    if (!failure && ::chmod(path.c_str(), mode) != 0) failure = system_failure();
    return failure;
}

}  // namespace

bool fits_socket_address(const std::string& path) {
    return !path.empty() && path.size() < sizeof(sockaddr_un::sun_path);
}

Result<UnixListener> listen_on_unix(
    const asio::any_io_executor& executor, const std::string& path, unsigned mode
) {
    if (!fits_socket_address(path)) return Errc::bad_socket_path;
    if (auto free = remove_stale(executor, path); !free) return free.error();
    Local::acceptor acceptor(executor);
    Error failure;
    acceptor.open(Local(), failure);
    if (!failure) failure = bind_with_mode(acceptor, path, mode);
    if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
    struct stat file{};
    if (!failure && ::lstat(path.c_str(), &file) != 0) failure = system_failure();
    if (failure) return failure;
    return UnixListener{std::move(acceptor), path, file.st_dev, file.st_ino};
}

void remove_socket_file(const UnixListener& listener) {
    struct stat file{};
    if (::lstat(listener.path.c_str(), &file) != 0) return;
    if (file.st_dev == listener.device && file.st_ino == listener.inode)
        ::unlink(listener.path.c_str());
}

}  // namespace twinsite::base::http
