// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/file_safety.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/file/descriptor.hpp"

namespace twinsite::monitor::action {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = 1024 * 1024;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

std::optional<std::string> find_unsafe_owner(const std::string& path, const struct stat& file) {
    if (file.st_uid != 0 && file.st_uid != ::geteuid())
        return path + " belongs to neither root nor the user of the agent";
    const bool shared_folder = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
    if ((file.st_mode & kWritableByOthers) != 0 && !shared_folder)
        return path + " may be written by its group or by others";
    return std::nullopt;
}

/// Every folder from "/" down to the one that holds `file`.
std::optional<std::string> find_unsafe_folder(const fs::path& file) {
    for (auto folder = file.parent_path();; folder = folder.parent_path()) {
        struct stat found{};
        if (::stat(folder.c_str(), &found) != 0)
            return folder.string() + ": " + std::strerror(errno);
        if (auto problem = find_unsafe_owner(folder.string(), found)) return problem;
        if (folder == folder.root_path()) return std::nullopt;
    }
}

/// The path without symbolic links: the folders on the way there are those that count.
fs::path resolve(const std::string& path, std::error_code& failure) {
    return fs::canonical(path, failure);
}

}  // namespace

std::optional<std::string> find_unsafe_program(const std::string& path) {
    std::error_code failure;
    const auto real = resolve(path, failure);
    if (failure) return path + ": " + failure.message();
    // The link itself too: who may change it chooses the program.
    if (auto problem = find_unsafe_folder(fs::path(path))) return problem;
    struct stat found{};
    if (::stat(real.c_str(), &found) != 0) return path + ": " + std::strerror(errno);
    if (!S_ISREG(found.st_mode)) return path + " is not a file";
    if ((found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return path + " is not executable";
    if (auto problem = find_unsafe_owner(path, found)) return problem;
    return find_unsafe_folder(real);
}

SafeText read_safe_file(const std::string& path) {
    SafeText out;
    std::error_code failure;
    const auto real = resolve(path, failure);
    if (failure) return {{}, path + ": " + failure.message()};
    // O_NONBLOCK: a FIFO in its place must not hold us up.
    const base::file::Descriptor file(::open(real.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found{};
    if (!file.is_open() || ::fstat(file.number(), &found) != 0)
        return {{}, path + ": " + std::strerror(errno)};
    if (!S_ISREG(found.st_mode)) return {{}, path + " is not a file"};
    if (auto problem = find_unsafe_owner(path, found)) return {{}, *problem};
    if (auto problem = find_unsafe_folder(real)) return {{}, *problem};
    std::array<char, 16384> buffer;
    for (;;) {
        const auto size = ::read(file.number(), buffer.data(), buffer.size());
        if (size < 0) return {{}, path + ": " + std::strerror(errno)};
        if (size == 0) return out;
        out.text.append(buffer.data(), static_cast<std::size_t>(size));
        if (out.text.size() > kMaxFileBytes) return {{}, path + " is too large"};
    }
}

}  // namespace twinsite::monitor::action
