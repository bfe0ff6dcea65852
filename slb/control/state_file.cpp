// SPDX-License-Identifier: Apache-2.0
#include "slb/control/state_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "slb/proxy/descriptor.hpp"

namespace twinsite::slb::control {

using proxy::Descriptor;

namespace {

base::Error last_error() {
    return {errno, boost::system::system_category()};
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const auto put = ::write(fd, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

}  // namespace

base::Result<std::optional<std::string>> read_state_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() && errno == ENOENT) return std::optional<std::string>();
    if (!file.is_open()) return last_error();
    std::string text;
    std::array<char, 65536> part;
    for (;;) {
        const auto got = ::read(file.number(), part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return last_error();
        if (got == 0) return std::optional(std::move(text));
        text.append(part.data(), static_cast<std::size_t>(got));
    }
}

base::Result<void> write_state_file(const std::string& path, std::string_view text) {
    const auto beside = path + ".new";
    {
        const Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)
        );
        if (!file.is_open() || !write_all(file.number(), text) || ::fsync(file.number()) != 0)
            return last_error();
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) return last_error();
    const auto folder = std::filesystem::path(path).parent_path();
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.is_open() || ::fsync(directory.number()) != 0) return last_error();
    return {};
}

}  // namespace twinsite::slb::control
