// SPDX-License-Identifier: Apache-2.0
#include "base/file/ownership.hpp"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <sys/stat.h>
#include <system_error>

#include <unistd.h>

namespace twinsite::base::file {

namespace {

std::string problem_of(const struct stat& about) {
    if (about.st_uid != 0 && about.st_uid != ::geteuid())
        return "belongs to user " + std::to_string(about.st_uid) + ", not to root or to us";
    // A group of root's is root; any other may have members.
    if ((about.st_mode & S_IWGRP) != 0 && about.st_gid != 0)
        return "can be written to by its group";
    if ((about.st_mode & S_IWOTH) != 0) return "can be written to by everybody";
    return {};
}

struct Release {
    void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string distrust_of(const std::string& path) {
    const std::unique_ptr<char, Release> real(::realpath(path.c_str(), nullptr));
    struct stat about{};
    if (!real || ::stat(real.get(), &about) != 0) return std::generic_category().message(errno);
    if (!S_ISREG(about.st_mode)) return "is not a file";
    if (auto problem = problem_of(about); !problem.empty()) return problem;
    const std::string whole(real.get());
    const auto folder = whole.substr(0, whole.rfind('/') + 1);
    struct stat around{};
    if (::stat(folder.c_str(), &around) != 0) return std::generic_category().message(errno);
    if ((around.st_mode & S_ISVTX) != 0) return {};
    const auto problem = problem_of(around);
    return problem.empty() ? problem : "its folder " + problem;
}

}  // namespace twinsite::base::file
