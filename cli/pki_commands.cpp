// SPDX-License-Identifier: Apache-2.0
#include "cli/pki_commands.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/output/table.hpp"
#include "cli/pki/folder.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::cli {
namespace {

namespace fs = std::filesystem;
namespace crypto = base::crypto;
namespace json = boost::json;
using pki::Entry;
using pki::Failure;
using pki::Folder;
using pki::WallTime;

constexpr unsigned kDays = 365;

/// RFC 3339
std::string spell(WallTime time) {
    const std::time_t seconds = time.time_since_epoch().count();
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char out[32];
    const auto size = std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {out, size};
}

ExitCode fail(const Settings& settings, const Failure& failure) {
    const unsigned status = failure.exit == ExitCode::exit_usage     ? 400
                            : failure.exit == ExitCode::exit_refused ? 409
                                                                     : 500;
    if (settings.format == Format::json)
        std::cout << base::http::problem(status, "Not done", failure.text).body << '\n';
    else
        std::cerr << failure.text << '\n';
    return failure.exit;
}

void print(const json::object& value) {
    std::cout << json::serialize(value) << '\n';
}

const char* word_of(crypto::Use use) {
    return use == crypto::Use::tls ? "tls" : "signing";
}

json::array texts(const std::vector<std::string>& values) {
    json::array out;
    for (const auto& value : values) out.emplace_back(value);
    return out;
}

std::vector<std::string> addresses_of(const crypto::Certificate& certificate) {
    std::vector<std::string> out;
    for (const auto& address : certificate.addresses) out.push_back(to_string(address));
    return out;
}

json::object describe(const crypto::Certificate& certificate, WallTime now) {
    json::object out;
    out["identity"] = certificate.uri;
    out["serial"] = certificate.serial;
    out["use"] = word_of(certificate.use);
    out["addresses"] = texts(addresses_of(certificate));
    out["dns_names"] = texts(certificate.dns_names);
    out["not_after"] = spell(certificate.not_after);
    out["days_left"] = crypto::days_left(certificate, now);
    return out;
}

ExitCode tell_written(
    const Settings& settings, const std::vector<pki::Written>& written, WallTime now
) {
    json::array certificates;
    for (const auto& one : written) {
        auto value = describe(one.certificate, now);
        value["certificate_file"] = one.certificate_file;
        value["key_file"] = one.key_file;
        certificates.push_back(std::move(value));
        if (settings.format == Format::text)
            std::cout << one.certificate_file << " and " << one.key_file << ": "
                      << one.certificate.uri << ", " << word_of(one.certificate.use) << ", ends "
                      << spell(one.certificate.not_after) << '\n';
    }
    if (settings.format == Format::json) print({{"certificates", std::move(certificates)}});
    return ExitCode::exit_ok;
}

/// What `issue` is asked for; a text when a word of it is no good.
pki::Outcome<crypto::Order> order_of(const PkiWords& words) {
    const auto bad = [](std::string text) {
        return Failure{ExitCode::exit_usage, std::move(text)};
    };
    const auto identity = wire::contract::parse_identity(words.identity);
    if (!identity)
        return bad(
            "'" + words.identity +
            "' is not twinsite://SITE/ROLE/NAME; roles are agent, monitor, switchover, gslb, slb, "
            "operator and blade"
        );
    if (words.signing && identity->role != "switchover")
        return bad("--signing is for the role switchover only");
    crypto::Order out;
    out.uri = words.identity;
    out.dns_names = words.dns_names;
    out.days = std::chrono::days(words.days == 0 ? kDays : words.days);
    for (const auto& text : words.addresses) {
        const auto address = base::text::parse_ip(text);
        if (!address) return bad("--ip: '" + text + "' is not an address");
        out.addresses.push_back(*address);
    }
    return out;
}

bool is_stem(const std::string& text) {
    return !text.empty() && text.front() != '.' && text.find('/') == std::string::npos &&
           text != "ca";
}

/// The files that `renew` is about: one, or the two of a name with a signing certificate.
std::vector<std::string> files_of(const PkiWords& words) {
    if (words.which.find('/') != std::string::npos || words.which.ends_with(".crt"))
        return {words.which};
    const auto stem = words.folder + "/" + words.which;
    std::vector<std::string> out{stem + ".crt"};
    if (fs::exists(stem + ".sign.crt")) out.push_back(stem + ".sign.crt");
    return out;
}

std::string state_of(const Entry& entry, WallTime now) {
    if (entry.revoked) return "revoked";
    if (entry.certificate.not_after < now) return "ended";
    return crypto::days_left(entry.certificate, now) < crypto::kWarnDays ? "ends soon" : "valid";
}

void print_table(const std::vector<Entry>& entries, WallTime now) {
    output::Table table(
        {{"IDENTITY"},
         {"USE"},
         {"STATE"},
         {"ENDS"},
         {"DAYS", output::Align::right},
         {"ADDRESSES"},
         {"SERIAL"}}
    );
    for (const auto& entry : entries) {
        const auto& certificate = entry.certificate;
        auto names = addresses_of(certificate);
        names.insert(names.end(), certificate.dns_names.begin(), certificate.dns_names.end());
        table.add(
            {certificate.uri,
             word_of(certificate.use),
             state_of(entry, now),
             spell(certificate.not_after),
             std::to_string(crypto::days_left(certificate, now)),
             base::text::join(names, ","),
             certificate.serial}
        );
    }
    std::cout << table.text();
}

json::object describe(const Entry& entry, WallTime now) {
    auto out = describe(entry.certificate, now);
    out["state"] = state_of(entry, now);
    if (entry.revoked) {
        out["revoked_at"] = spell(entry.revoked->at);
        out["reason"] = entry.revoked->reason;
    }
    return out;
}

}  // namespace

ExitCode pki_init(const Settings& settings, const PkiWords& words) {
    const auto now = crypto::wall_now();
    const auto name = words.name.empty() ? std::string("Twinsite") : words.name;
    const std::chrono::days days(words.authority_days);
    auto folder = Folder::create(words.folder, name, days, now);
    if (!folder) return fail(settings, folder.failure());
    const auto ends = spell(folder->authority().not_after);
    if (settings.format == Format::json)
        print({{"directory", words.folder}, {"name", name}, {"not_after", ends}});
    else
        std::cout << "authority " << name << " in " << words.folder << ", ends " << ends
                  << "\nkeep " << words.folder << "/ca.key secret and a copy of it safe\n";
    return ExitCode::exit_ok;
}

ExitCode pki_issue(const Settings& settings, const PkiWords& words) {
    const auto now = crypto::wall_now();
    auto order = order_of(words);
    if (!order) return fail(settings, order.failure());
    const auto stem =
        words.file.empty() ? wire::contract::parse_identity(words.identity)->name : words.file;
    if (!is_stem(stem))
        return fail(settings, {ExitCode::exit_usage, "--file: '" + stem + "' is no good name"});
    auto folder = Folder::open(words.folder);
    if (!folder) return fail(settings, folder.failure());
    const auto into = words.out.empty() ? words.folder : words.out;
    std::vector<pki::Written> written;
    auto first = folder->issue(*order, into, stem, now);
    if (!first) return fail(settings, first.failure());
    written.push_back(*first);
    if (words.signing) {
        order->use = crypto::Use::signing;
        auto second = folder->issue(*order, into, stem + ".sign", now);
        if (!second) return fail(settings, second.failure());
        written.push_back(*second);
    }
    return tell_written(settings, written, now);
}

ExitCode pki_renew(const Settings& settings, const PkiWords& words) {
    const auto now = crypto::wall_now();
    auto folder = Folder::open(words.folder);
    if (!folder) return fail(settings, folder.failure());
    std::optional<std::chrono::days> days;
    if (words.days != 0) days.emplace(words.days);
    std::vector<pki::Written> written;
    for (const auto& file : files_of(words)) {
        auto renewed = folder->renew(file, days, now);
        if (!renewed) return fail(settings, renewed.failure());
        written.push_back(*renewed);
    }
    return tell_written(settings, written, now);
}

ExitCode pki_revoke(const Settings& settings, const PkiWords& words) {
    const auto now = crypto::wall_now();
    auto folder = Folder::open(words.folder);
    if (!folder) return fail(settings, folder.failure());
    auto revoked = folder->revoke(words.which, words.reason, now);
    if (!revoked) return fail(settings, revoked.failure());
    json::array entries;
    for (const auto& entry : *revoked) {
        entries.push_back(describe(entry, now));
        if (settings.format == Format::text)
            std::cout << entry.certificate.uri << ", " << word_of(entry.certificate.use)
                      << ", serial " << entry.certificate.serial << ": revoked\n";
    }
    const auto list = words.folder + "/crl.pem";
    if (settings.format == Format::json)
        print({{"revoked", std::move(entries)}, {"crl", list}});
    else
        std::cout << "copy " << list << " to every machine; it is taken without a restart\n";
    return ExitCode::exit_ok;
}

ExitCode pki_show(const Settings& settings, const PkiWords& words) {
    const auto now = crypto::wall_now();
    std::optional<std::chrono::milliseconds> soon;
    if (!words.expiring.empty()) {
        soon = base::text::parse_duration(words.expiring);
        if (!soon)
            return fail(
                settings,
                {ExitCode::exit_usage, "--expiring: '" + words.expiring + "' is no time, like 30d"}
            );
    }
    auto folder = Folder::open(words.folder);
    if (!folder) return fail(settings, folder.failure());
    auto entries = folder->list();
    if (!entries) return fail(settings, entries.failure());
    std::erase_if(*entries, [&](const Entry& entry) {
        return soon && (entry.revoked || entry.certificate.not_after > now + *soon);
    });
    if (settings.format == Format::text) {
        std::cout << "authority in " << words.folder << " ends "
                  << spell(folder->authority().not_after) << "\n";
        if (!entries->empty()) print_table(*entries, now);
        return ExitCode::exit_ok;
    }
    json::array certificates;
    for (const auto& entry : *entries) certificates.push_back(describe(entry, now));
    json::object authority;
    authority["not_after"] = spell(folder->authority().not_after);
    authority["days_left"] = crypto::days_left(folder->authority(), now);
    print(
        {{"directory", words.folder},
         {"authority", std::move(authority)},
         {"certificates", std::move(certificates)}}
    );
    return ExitCode::exit_ok;
}

}  // namespace twinsite::cli
