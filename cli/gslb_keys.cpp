// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_keys.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file/state_file.hpp"
#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/value.hpp"
#include "gslb/zone/key_book_file.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "gslb/zone/signature_text.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::cli {
namespace {

namespace file = base::file;
namespace json = boost::json;
namespace type = wire::dns::type;
namespace zone = gslb::zone;
using base::crypto::EcdsaKey;
using base::http::percent_encode;
using output::elements;
using output::member;
using output::text_at;
using wire::dns::Name;

/// What an operator did wrong, or what the disk refuses, with the exit code for it.
ExitCode fail(const Settings& settings, ExitCode code, const std::string& text) {
    if (settings.format == Format::json)
        std::cout
            << base::http::problem(code == ExitCode::exit_usage ? 400 : 409, "Not done", text).body
            << '\n';
    else
        std::cerr << text << '\n';
    return code;
}

zone::UnixTime now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

/// Writes a private key where none is; empty, or what went wrong.
std::string write_secret(const std::string& path, const EcdsaKey& key) {
    constexpr unsigned kOwnerOnly = 0600;
    const auto pem = key.to_pem();
    if (!pem) return pem.error().message();
    const auto written = file::write_state_file(path, *pem, file::Durability::synced, kOwnerOnly);
    return written ? "" : path + ": " + written.error().message();
}

std::string ds_line(const zone::ZoneKey& key, const Name& name) {
    const Name lowered = name.lowered();
    const auto ds = key.ds({lowered.wire().begin(), lowered.wire().end()});
    constexpr std::size_t kHead = 4;  // tag, algorithm, kind of digest
    return name.to_string() + " IN DS " + std::to_string(key.tag()) + " 13 2 " +
           base::text::to_hex(ds.data() + kHead, ds.size() - kHead);
}

void tell_created(const Settings& settings, const zone::KeyBook& book) {
    const auto set = zone::make_key_set(book, [](const zone::BookedKey&) { return nullptr; });
    json::array keys;
    json::array ds;
    for (const auto& key : book.keys)
        keys.push_back(json::object{{"tag", key.tag()}, {"role", zone::to_string(key.role)}});
    for (const auto& key : set.keys)
        if (key.announced) ds.push_back(json::string(ds_line(key, book.zone)));
    if (settings.format == Format::json) {
        std::cout << json::serialize(
                         json::object{{"zone", book.zone.to_string()}, {"keys", keys}, {"ds", ds}}
                     )
                  << '\n';
        return;
    }
    for (const auto& key : book.keys)
        std::cout << "key " << key.tag() << ", " << zone::to_string(key.role) << '\n';
    for (const auto& line : ds) std::cout << "for the parent: " << line.as_string().c_str() << '\n';
}

/// The book of the zone in the folder, or what is wrong.
std::variant<zone::KeyBook, std::string> read_book(const std::string& folder, const Name& name) {
    const auto path = folder + "/" + zone::key_book_file(name);
    const auto text = file::read_state_file(path);
    if (!text) return path + ": " + text.error().message();
    if (!*text) return path + ": does not exist";
    auto book = zone::decode_key_book(**text);
    if (const auto* wrong = std::get_if<std::string>(&book)) return path + ": " + *wrong;
    return book;
}

std::shared_ptr<const EcdsaKey> read_secret(const std::string& path) {
    const auto text = file::read_state_file(path);
    if (!text || !*text) return nullptr;
    auto key = EcdsaKey::from_pem(**text);
    return key ? std::make_shared<const EcdsaKey>(*std::move(key)) : nullptr;
}

/// Lines with the signatures of the three sets of keys by every KSK that is here.
std::string presign(const zone::KeySet& set, const Name& name, std::chrono::seconds valid) {
    zone::ZoneData apex;
    apex.origin = name;
    // A zone that has nothing but its keys: what is signed of them depends on nothing else.
    apex.rrsets.push_back({name, type::soa, 0, {std::vector<std::uint8_t>(22, 0)}});
    zone::SignParameters how;
    how.times.now = now();
    how.times.validity = valid;
    how.times.jitter = std::chrono::seconds(0);
    const auto made = zone::sign_zone(apex, set, how);
    std::string out;
    if (!made.zone) return out;
    for (const auto& rrset : made.zone->rrsets) {
        if (rrset.type != type::rrsig || rrset.owner != name) continue;
        for (const auto& rdata : rrset.rdatas) {
            const auto covered = zone::decode_signature(rdata, how.times.now)->type_covered;
            if (covered == type::dnskey || covered == type::cds || covered == type::cdnskey)
                out += zone::signature_line(name, set.dnskey_ttl, rdata);
        }
    }
    return out;
}

api::Daemon gslb(const Settings& settings) {
    return daemon(settings, "gslb", "TWINSITE_GSLB_SOCKET");
}

std::string keys_path(const KeyWords& words, const char* command) {
    return "/api/v1/zones/" + percent_encode(words.zone) + "/keys" + command;
}

std::string zone_text(const json::value& view) {
    std::string out = "zone " + text_at(view, "zone") + ", serial " + text_at(view, "serial");
    if (text_at(view, "served") == "false") out += ", the change is not served yet";
    output::Table table({{"TAG"}, {"ROLE"}, {"STATE"}, {"PRIVATE KEY"}});
    for (const auto* key : elements(member(view, "keys")))
        table.add({
            text_at(*key, "tag"),
            text_at(*key, "role"),
            text_at(*key, "state"),
            text_at(*key, "here") == "true" ? "here" : "elsewhere",
        });
    out += "\n" + table.text();
    const auto& roll = member(view, "roll");
    if (roll.is_object())
        out += "change of " + text_at(roll, "role") + " from " + text_at(roll, "old") + " to " +
               text_at(roll, "new") + ", step " + text_at(roll, "step") + ": " +
               text_at(roll, "waits") + "\n";
    for (const auto* ds : elements(member(view, "ds")))
        out += "for the parent: " + output::to_text(*ds) + "\n";
    return out;
}

}  // namespace

ExitCode keys_create(const Settings& settings, const KeyWords& words) {
    const auto name = wire::dns::parse_name(words.zone);
    if (!name) return fail(settings, ExitCode::exit_usage, "'" + words.zone + "' is no name");
    const auto book_path = words.folder + "/" + zone::key_book_file(*name);
    const auto known = file::read_state_file(book_path);
    if (!known) return fail(settings, ExitCode::exit_refused, known.error().message());
    if (*known) return fail(settings, ExitCode::exit_refused, book_path + ": exists already");
    std::error_code failed;
    std::filesystem::create_directories(words.folder, failed);
    if (failed)
        return fail(settings, ExitCode::exit_refused, words.folder + ": " + failed.message());
    std::vector<EcdsaKey> keys;
    std::vector<base::crypto::EcdsaPublicKey> publics;
    for (int i = 0; i < (words.single ? 1 : 2); ++i) {
        auto key = EcdsaKey::generate();
        if (!key) return fail(settings, ExitCode::exit_refused, key.error().message());
        publics.push_back(key->public_key());
        keys.push_back(*std::move(key));
    }
    const auto book = zone::make_key_book(*name, publics, now());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto path = words.folder + "/" + zone::secret_file(*name, book.keys[i].tag());
        const auto wrong = write_secret(path, keys[i]);
        if (!wrong.empty()) return fail(settings, ExitCode::exit_refused, wrong);
    }
    const auto written = file::write_state_file(book_path, zone::encode_key_book(book));
    if (!written)
        return fail(settings, ExitCode::exit_refused, book_path + ": " + written.error().message());
    tell_created(settings, book);
    return ExitCode::exit_ok;
}

ExitCode keys_presign(const Settings& settings, const KeyWords& words) {
    const auto name = wire::dns::parse_name(words.zone);
    if (!name) return fail(settings, ExitCode::exit_usage, "'" + words.zone + "' is no name");
    const auto valid = base::text::parse_duration(words.valid);
    if (!valid || *valid < std::chrono::hours(24))
        return fail(
            settings,
            ExitCode::exit_usage,
            "--valid: '" + words.valid + "' is not a time of 1d or more"
        );
    const auto read = read_book(words.folder, *name);
    if (const auto* wrong = std::get_if<std::string>(&read))
        return fail(settings, ExitCode::exit_refused, *wrong);
    const auto& book = std::get<zone::KeyBook>(read);
    auto set = zone::make_key_set(book, [&](const zone::BookedKey& key) {
        return read_secret(words.folder + "/" + zone::secret_file(*name, key.tag()));
    });
    // The ZSK need not be where the KSK is: here it only has to be there for the form.
    for (auto& key : set.keys)
        if (key.signs_data && !key.secret)
            for (const auto& other : set.keys)
                if (other.secret) key.secret = other.secret;
    const auto lines =
        presign(set, *name, std::chrono::duration_cast<std::chrono::seconds>(*valid));
    if (lines.empty())
        return fail(settings, ExitCode::exit_refused, "no KSK of the zone is in the folder");
    std::cout << lines;
    return ExitCode::exit_ok;
}

ExitCode keys_list(const Settings& settings, const KeyWords& words) {
    const auto target = words.zone.empty() ? std::string("/api/v1/keys") : keys_path(words, "");
    return show(settings, gslb(settings).call("GET", target), keys_text);
}

ExitCode keys_roll(const Settings& settings, const KeyWords& words) {
    const json::object body{{"role", words.role}, {"automatic", words.automatic}};
    const auto answer =
        gslb(settings).call("POST", keys_path(words, "/roll"), json::serialize(body));
    return show(settings, answer, keys_text);
}

ExitCode keys_step(const Settings& settings, const KeyWords& words) {
    const json::object body{{"ds_seen", words.ds_seen}};
    const auto answer =
        gslb(settings).call("POST", keys_path(words, "/step"), json::serialize(body));
    return show(settings, answer, keys_text);
}

ExitCode keys_cancel(const Settings& settings, const KeyWords& words) {
    return show(settings, gslb(settings).call("POST", keys_path(words, "/cancel")), keys_text);
}

std::string keys_text(const std::string& body) {
    const auto answer = output::parse_body(body);
    const auto& zones = member(answer, "zones");
    if (!zones.is_array()) return zone_text(answer);
    std::string out;
    for (const auto* view : elements(zones)) out += zone_text(*view);
    return out.empty() ? "no zone is signed here\n" : out;
}

}  // namespace twinsite::cli
