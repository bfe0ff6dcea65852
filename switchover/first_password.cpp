// SPDX-License-Identifier: Apache-2.0
#include "switchover/first_password.hpp"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

#include <fcntl.h>

#include "base/crypto/secret.hpp"
#include "base/file/descriptor.hpp"
#include "base/log/log.hpp"
#include "switchover/store/users.hpp"

namespace twinsite::switchover {
namespace {

constexpr std::size_t kPasswordBytes = 15;  // 20 characters

base::Error last_error() {
    return {errno, boost::system::system_category()};
}

base::Result<void> write_secret(const std::string& file, const std::string& text) {
    // A file of somebody else's making, or a link, is not written to.
    static_cast<void>(::unlink(file.c_str()));
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    const base::file::Descriptor out(::open(file.c_str(), flags, 0600));
    if (!out.is_open()) return last_error();
    const auto put = ::write(out.number(), text.data(), text.size());
    if (put != static_cast<ssize_t>(text.size())) return last_error();
    if (::fsync(out.number()) != 0) return last_error();
    return {};
}

}  // namespace

base::Result<void> make_first_user(
    store::Store& store, lead::Leader& leader, const std::string& file
) {
    if (file.empty()) return {};
    const auto users = store::list_users(store);
    if (!users) return users.error();
    if (!users->empty()) return {};
    const auto password = base::crypto::random_token(kPasswordBytes);
    const auto hash = base::crypto::hash_password(password);
    if (!hash) return hash.error();
    // The file first: a user whose password nobody can read would be the only one for ever.
    if (auto written = write_secret(file, password + "\n"); !written) return written;
    store::Transaction transaction;
    store::save_user(transaction, {"admin", "admin", *hash, true});
    transaction.audit.push_back(
        {"switchover", "", "user.create", "admin", "done", "one-time password in " + file}
    );
    if (const auto done = leader.commit(transaction); !done) return done.error();
    base::log::event(
        base::log::Level::info, "first_password_written", {{"user", "admin"}, {"file", file}}
    );
    return {};
}

}  // namespace twinsite::switchover
