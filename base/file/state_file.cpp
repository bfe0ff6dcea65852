// SPDX-License-Identifier: Apache-2.0
#include "base/file/state_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

#include <fcntl.h>

#include "base/file/descriptor.hpp"

namespace twinsite::base::file {
namespace {

constexpr std::size_t kLargestBytes = std::size_t{64} << 20;

Error last_error() {
    return {errno, boost::system::system_category()};
}

Result<void> write_all(const Descriptor& file, std::string_view text) {
    while (!text.empty()) {
        const auto put = ::write(file.number(), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Result<void> sync(const Descriptor& file) {
    if (!file.is_open() || ::fsync(file.number()) != 0) return last_error();
    return {};
}

// A file that a crash left there may have other rights.
Result<void> restrict_rights(const Descriptor& file, unsigned mode) {
    struct stat now{};
    if (::fstat(file.number(), &now) != 0) return last_error();
    if ((now.st_mode & 07777 & ~mode) == 0) return {};
    if (::fchmod(file.number(), mode) != 0) return last_error();
    return {};
}

Result<void> write_whole(
    const std::string& path, std::string_view text, Durability durability, unsigned mode
) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file.is_open()) return last_error();
    if (auto restricted = restrict_rights(file, mode); !restricted) return restricted;
    if (auto written = write_all(file, text); !written) return written;
    return durability == Durability::synced ? sync(file) : Result<void>();
}

// A rename is on the disk only when its folder is.
Result<void> sync_folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    const auto folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    return sync(Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

}  // namespace

Result<std::optional<std::string>> read_state_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() && errno == ENOENT) return std::optional<std::string>();
    if (!file.is_open()) return last_error();
    std::string text;
    std::array<char, 16 * 1024> part;
    while (text.size() <= kLargestBytes) {
        const auto got = ::read(file.number(), part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return last_error();
        if (got == 0) return std::optional<std::string>(std::move(text));
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return Error(EFBIG, boost::system::system_category());
}

Result<void> write_state_file(
    const std::string& path, std::string_view text, Durability durability, unsigned mode
) {
    const auto beside = path + ".new";
    if (auto written = write_whole(beside, text, durability, mode); !written) return written;
    if (std::rename(beside.c_str(), path.c_str()) != 0) return last_error();
    return durability == Durability::synced ? sync_folder_of(path) : Result<void>();
}

}  // namespace twinsite::base::file
