// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/state_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "gslb/control/error.hpp"

namespace twinsite::gslb::control {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int fd() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }

private:
    int fd_;
};

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool write_and_sync(const std::string& path, std::string_view text) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
    return file.is_open() && write_all(file.fd(), text) && ::fsync(file.fd()) == 0;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

base::Result<std::optional<std::string>> read_state_file(const std::string& path) {
    constexpr std::size_t kLargest_bytes = std::size_t{64} << 20;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() && errno == ENOENT) return std::optional<std::string>();
    if (!file.is_open()) return Errc::cannot_read;
    std::string text;
    std::array<char, 65536> part;
    while (text.size() <= kLargest_bytes) {
        const auto got = ::read(file.fd(), part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Errc::cannot_read;
        if (got == 0) return std::optional<std::string>(std::move(text));
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return Errc::cannot_read;
}

base::Result<void> write_state_file(const std::string& path, std::string_view text) {
    const std::string fresh = path + ".new";
    if (!write_and_sync(fresh, text)) return Errc::cannot_write;
    if (std::rename(fresh.c_str(), path.c_str()) != 0) return Errc::cannot_replace;
    const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) ::fsync(folder.fd());
    return {};
}

}  // namespace twinsite::gslb::control
