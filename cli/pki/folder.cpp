// SPDX-License-Identifier: Apache-2.0
#include "cli/pki/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <tuple>

#include <fcntl.h>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::cli::pki {
namespace {

namespace fs = std::filesystem;
namespace crypto = base::crypto;
using base::file::Durability;

constexpr unsigned kSecret = 0600;
constexpr unsigned kPublic = 0644;
constexpr std::chrono::seconds kLockWait{5};

Failure failure_at(const std::string& path, const base::Error& error) {
    return {ExitCode::exit_failed, path + ": " + error.message()};
}

Outcome<std::string> read(const std::string& path) {
    auto text = base::file::read_state_file(path);
    if (!text) return failure_at(path, text.error());
    if (!*text) return Failure{ExitCode::exit_failed, path + " is not there"};
    return std::move(**text);
}

std::optional<Failure> store(const std::string& path, const std::string& text, unsigned mode) {
    const auto written = base::file::write_state_file(path, text, Durability::synced, mode);
    if (!written) return failure_at(path, written.error());
    return std::nullopt;
}

std::optional<Failure> make_folder(const fs::path& path) {
    std::error_code failure;
    const bool fresh = fs::create_directories(path, failure);
    if (fresh && !failure) fs::permissions(path, fs::perms::owner_all, failure);
    if (failure) return Failure{ExitCode::exit_failed, path.string() + ": " + failure.message()};
    return std::nullopt;
}

/// Two at a time would lose a revocation of one another.
Outcome<base::file::Descriptor> lock(const std::string& path) {
    base::file::Descriptor out(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto end = std::chrono::steady_clock::now() + kLockWait;
    while (out.is_open() && ::flock(out.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) out.close();
        if (std::chrono::steady_clock::now() > end)
            return Failure{ExitCode::exit_timed_out, "somebody else works on " + path};
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!out.is_open()) return failure_at(path, {errno, boost::system::system_category()});
    return out;
}

std::string stem_of(const std::string& certificate_file) {
    const auto name = fs::path(certificate_file).filename().string();
    return name.ends_with(".crt") ? name.substr(0, name.size() - 4) : name;
}

std::string last_part(const std::string& uri) {
    return uri.substr(uri.rfind('/') + 1);
}

crypto::Order same_again(const crypto::Certificate& old, std::optional<std::chrono::days> days) {
    crypto::Order out;
    out.uri = old.uri;
    out.dns_names = old.dns_names;
    out.addresses = old.addresses;
    out.use = old.use;
    // What was taken off its beginning for clocks that are behind is less than a day.
    out.days = days.value_or(std::chrono::floor<std::chrono::days>(old.not_after - old.not_before));
    return out;
}

std::vector<Entry> matching(const std::vector<Entry>& all, const std::string& which) {
    const auto serial = base::text::to_lower(which);
    std::vector<Entry> out;
    for (const auto& entry : all)
        if (base::text::to_lower(entry.certificate.serial) == serial) return {entry};
    for (const auto& entry : all)
        if (entry.certificate.uri == which || last_part(entry.certificate.uri) == which)
            out.push_back(entry);
    return out;
}

/// More than one identity ends in that name.
std::optional<Failure> ambiguous(const std::vector<Entry>& entries, const std::string& which) {
    std::set<std::string> identities;
    for (const auto& entry : entries) identities.insert(entry.certificate.uri);
    if (identities.size() < 2) return std::nullopt;
    const std::vector<std::string> names(identities.begin(), identities.end());
    return Failure{
        ExitCode::exit_usage, which + " is one of " + base::text::join(names, ", ") + "; say which"
    };
}

}  // namespace

Folder::Folder(std::string path, crypto::Authority authority, base::file::Descriptor lock)
    : path_(std::move(path)),
      authority_(std::move(authority)),
      own_(crypto::parse_certificate(authority_.certificate_pem()).value()),
      lock_(std::move(lock)) {}

Outcome<Folder> Folder::create(
    const std::string& path, const std::string& name, std::chrono::days days, WallTime now
) {
    for (const char* file : {"/ca.crt", "/ca.key"})
        if (fs::exists(path + file))
            return Failure{ExitCode::exit_refused, path + file + " exists already"};
    auto authority = crypto::Authority::create(name, days, now);
    if (!authority) return Failure{ExitCode::exit_usage, "--name: " + authority.error().message()};
    if (auto failure = make_folder(path)) return *failure;
    if (auto failure = make_folder(fs::path(path) / "issued")) return *failure;
    auto locked = lock(path);
    if (!locked) return locked.failure();
    if (auto failure = store(path + "/ca.key", authority->key_pem(), kSecret)) return *failure;
    if (auto failure = store(path + "/ca.crt", authority->certificate_pem(), kPublic))
        return *failure;
    Folder out(path, std::move(*authority), std::move(*locked));
    if (auto failure = out.write_revocations({1, {}}, now)) return *failure;
    return out;
}

Outcome<Folder> Folder::open(const std::string& path) {
    auto locked = lock(path);
    if (!locked) return locked.failure();
    auto certificate = read(path + "/ca.crt");
    if (!certificate) return certificate.failure();
    auto key = read(path + "/ca.key");
    if (!key) return key.failure();
    auto authority = crypto::Authority::from_pem(*certificate, *key);
    if (!authority) return failure_at(path + "/ca.key", authority.error());
    return Folder(path, std::move(*authority), std::move(*locked));
}

Outcome<Written> Folder::issue(
    const crypto::Order& order, const std::string& into, const std::string& stem, WallTime now
) {
    const auto file = into + "/" + stem + ".crt";
    if (fs::exists(file)) {
        auto there = read(file);
        if (!there) return there.failure();
        const auto old = crypto::parse_certificate(*there);
        if (!old || old->uri != order.uri || old->use != order.use)
            return Failure{
                ExitCode::exit_refused,
                file + " belongs to " + (old ? old->uri : "somebody else") +
                    "; choose another folder with --out or another name with --file"
            };
    }
    const auto issued = authority_.issue(order, now);
    if (!issued) return Failure{ExitCode::exit_usage, order.uri + ": " + issued.error().message()};
    return write(*issued, into, stem);
}

Outcome<Written> Folder::write(
    const crypto::Issued& issued, const std::string& into, const std::string& stem
) const {
    const auto certificate = crypto::parse_certificate(issued.certificate);
    if (!certificate) return failure_at(stem, certificate.error());
    Written out{*certificate, into + "/" + stem + ".crt", into + "/" + stem + ".key"};
    // First the copy: nothing may be in use that cannot be revoked.
    const auto copy = path_ + "/issued/" + certificate->serial + ".crt";
    if (auto failure = store(copy, issued.certificate, kPublic)) return *failure;
    if (auto failure = make_folder(into)) return *failure;
    if (auto failure = store(out.key_file, issued.key, kSecret)) return *failure;
    if (auto failure = store(out.certificate_file, issued.certificate, kPublic)) return *failure;
    return out;
}

Outcome<Written> Folder::renew(
    const std::string& certificate_file, std::optional<std::chrono::days> days, WallTime now
) {
    auto text = read(certificate_file);
    if (!text) return text.failure();
    const auto old = crypto::parse_certificate(*text);
    if (!old) return failure_at(certificate_file, old.error());
    // An old one that ended is renewed too, so not its validity counts but that it was ours.
    auto ours = read(path_ + "/issued/" + old->serial + ".crt");
    if (!ours || *ours != *text)
        return Failure{
            ExitCode::exit_refused, certificate_file + " was not issued by this authority"
        };
    auto revoked = revocations();
    if (!revoked) return revoked.failure();
    for (const auto& entry : revoked->entries)
        if (entry.serial == old->serial)
            return Failure{
                ExitCode::exit_refused, certificate_file + " is revoked; issue a new certificate"
            };
    const auto issued = authority_.issue(same_again(*old, days), now);
    if (!issued) return Failure{ExitCode::exit_usage, old->uri + ": " + issued.error().message()};
    const auto folder = fs::path(certificate_file).parent_path().string();
    return write(*issued, folder.empty() ? "." : folder, stem_of(certificate_file));
}

Outcome<std::vector<Entry>> Folder::revoke(
    const std::string& which, const std::string& reason, WallTime now
) {
    auto all = list();
    if (!all) return all.failure();
    auto meant = matching(*all, which);
    if (auto failure = ambiguous(meant, which)) return *failure;
    if (meant.empty())
        return Failure{ExitCode::exit_failed, "no certificate of '" + which + "' was issued here"};
    std::erase_if(meant, [now](const Entry& entry) {
        return entry.revoked || entry.certificate.not_after < now;
    });
    if (meant.empty())
        return Failure{ExitCode::exit_refused, which + " has ended or is revoked already"};
    auto list = revocations();
    if (!list) return list.failure();
    for (auto& entry : meant) {
        entry.revoked = crypto::Revocation{entry.certificate.serial, now, reason};
        list->entries.push_back(*entry.revoked);
    }
    ++list->number;
    if (auto failure = write_revocations(*list, now)) return *failure;
    return meant;
}

Outcome<std::vector<Entry>> Folder::list() const {
    auto revoked = revocations();
    if (!revoked) return revoked.failure();
    std::vector<Entry> out;
    std::error_code failure;
    for (const auto& file : fs::directory_iterator(path_ + "/issued", failure)) {
        if (file.path().extension() != ".crt") continue;
        auto text = read(file.path().string());
        if (!text) return text.failure();
        const auto certificate = crypto::parse_certificate(*text);
        if (!certificate) return failure_at(file.path().string(), certificate.error());
        Entry entry{*certificate, std::nullopt};
        for (const auto& revocation : revoked->entries)
            if (revocation.serial == certificate->serial) entry.revoked = revocation;
        out.push_back(std::move(entry));
    }
    if (failure) return Failure{ExitCode::exit_failed, path_ + "/issued: " + failure.message()};
    std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) {
        const auto& one = a.certificate;
        const auto& other = b.certificate;
        return std::tie(one.uri, other.not_after, one.serial) <
               std::tie(other.uri, one.not_after, other.serial);
    });
    return out;
}

Outcome<crypto::RevocationList> Folder::revocations() const {
    const auto file = path_ + "/crl.pem";
    auto text = read(file);
    if (!text) return text.failure();
    auto list = crypto::parse_revocation_list(*text);
    if (!list) return failure_at(file, list.error());
    return std::move(*list);
}

std::optional<Failure> Folder::write_revocations(const crypto::RevocationList& list, WallTime now)
    const {
    const auto text = authority_.revocation_list(list, now);
    if (!text) return failure_at(path_ + "/crl.pem", text.error());
    return store(path_ + "/crl.pem", *text, kPublic);
}

}  // namespace twinsite::cli::pki
