// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/file_safety.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/file/descriptor.hpp"

namespace twinsite::monitor::action {
namespace {

namespace fs = std::filesystem;
using base::file::Descriptor;

constexpr std::size_t kMaxFileBytes = 1024 * 1024;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

std::optional<std::string> find_unsafe_owner(const std::string& path, const struct stat& file) {
    if (file.st_uid != 0 && file.st_uid != ::geteuid())
        return path + " belongs to neither root nor the user of the agent";
    if (S_ISLNK(file.st_mode)) return std::nullopt;  // a link has no mode of its own
    const bool shared_folder = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
    if ((file.st_mode & kWritableByOthers) != 0 && !shared_folder)
        return path + " may be written by its group or by others";
    return std::nullopt;
}

/// A file that was reached over nothing but safe folders and links, or what is wrong.
struct Reached {
    Descriptor file;  ///< O_PATH
    struct stat facts{};
    std::string problem;
};

/// Walks from "/" by one name at a time and looks at each folder and link on the way: whoever may
/// change one of them chooses what is found at the end.
class Walk {
public:
    explicit Walk(std::string path) : path_(std::move(path)) {}

    Reached reach() {
        std::error_code failure;
        const auto whole = fs::absolute(path_, failure);
        if (failure) stop(failure.message());
        put_first(whole);
        if (!enter_top()) stop(std::strerror(errno));
        while (out_.problem.empty() && !names_.empty()) step();
        return std::move(out_);
    }

private:
    void stop(const std::string& why) { out_.problem = path_ + ": " + why; }

    void put_first(const fs::path& path) {
        const auto parts = path.relative_path();
        names_.insert(names_.begin(), parts.begin(), parts.end());
    }

    bool enter_top() {
        where_ = "/";
        out_.file = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!out_.file.is_open() || ::fstat(out_.file.number(), &out_.facts) != 0) return false;
        if (auto problem = find_unsafe_owner("/", out_.facts)) out_.problem = *problem;
        return true;
    }

    void step() {
        const auto name = names_.front();
        names_.pop_front();
        if (name.empty()) return;
        const auto place = where_ / name;
        Descriptor next(::openat(out_.file.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)
        );
        struct stat facts{};
        if (!next.is_open() || ::fstat(next.number(), &facts) != 0)
            return stop(std::strerror(errno));
        if (auto problem = find_unsafe_owner(place.string(), facts)) {
            out_.problem = *problem;
            return;
        }
        if (S_ISLNK(facts.st_mode)) return follow(next);
        out_.file = std::move(next);
        out_.facts = facts;
        where_ = place;
    }

    void follow(const Descriptor& link) {
        std::array<char, 4096> target{};
        const auto size = ::readlinkat(link.number(), "", target.data(), target.size());
        if (size <= 0) return stop(std::strerror(errno));
        if (++links_ > kMaxLinks) return stop(std::strerror(ELOOP));
        const fs::path to(std::string(target.data(), static_cast<std::size_t>(size)));
        put_first(to);
        if (to.is_absolute() && !enter_top()) stop(std::strerror(errno));
    }

    static constexpr int kMaxLinks = 40;

    const std::string path_;
    std::deque<std::string> names_;  ///< Still to go.
    fs::path where_;
    int links_ = 0;
    Reached out_;
};

}  // namespace

std::optional<std::string> find_unsafe_program(const std::string& path) {
    const auto found = Walk(path).reach();
    if (!found.problem.empty()) return found.problem;
    if (!S_ISREG(found.facts.st_mode)) return path + " is not a file";
    if ((found.facts.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
        return path + " is not executable";
    return std::nullopt;
}

SafeText read_safe_file(const std::string& path) {
    SafeText out;
    const auto found = Walk(path).reach();
    if (!found.problem.empty()) return {{}, found.problem};
    if (!S_ISREG(found.facts.st_mode)) return {{}, path + " is not a file"};
    // The very file that was looked at, whatever the path names by now.
    const auto same = "/proc/self/fd/" + std::to_string(found.file.number());
    const Descriptor file(::open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) return {{}, path + ": " + std::strerror(errno)};
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
