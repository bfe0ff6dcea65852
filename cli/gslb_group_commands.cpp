// SPDX-License-Identifier: Apache-2.0
#include "cli/gslb_group_commands.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/crypto/base64.hpp"
#include "base/file/state_file.hpp"
#include "base/http/message.hpp"
#include "base/text/text.hpp"
#include "cli/gslb_group_text.hpp"
#include "cli/gslb_text.hpp"
#include "cli/user.hpp"

namespace twinsite::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using base::http::percent_encode;

/// Reading, testing and publishing a large intent takes a while.
constexpr std::chrono::milliseconds kPublishLimit{60'000};
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} * 1024 * 1024;

api::Daemon gslb(const Settings& settings) {
    return daemon(settings, "gslb", "TWINSITE_GSLB_SOCKET");
}

Settings patient(Settings settings) {
    settings.limit = std::max(settings.limit, kPublishLimit);
    return settings;
}

std::string listed(const char* key, const std::vector<std::string>& words) {
    if (words.empty()) return "";
    return std::string(key) + "=" + percent_encode(base::text::join(words, ",")) + "&";
}

bool is_hidden(const fs::path& relative) {
    return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
        return part.string().starts_with(".");
    });
}

ExitCode fail(const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return ExitCode::exit_usage;
}

/// The files of a folder in base64, without hidden ones; a failure is printed.
std::optional<json::object> read_folder(const std::string& folder) {
    std::error_code failure;
    const auto stop = [&](const std::string& text) {
        fail(text);
        return std::nullopt;
    };
    if (!fs::is_directory(folder, failure)) return stop("'" + folder + "' is not a folder");
    json::object out;
    std::uintmax_t bytes = 0;
    fs::recursive_directory_iterator at(folder, failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        const auto relative = at->path().lexically_relative(folder);
        if (!at->is_regular_file(failure) || is_hidden(relative)) continue;
        const auto text = base::file::read_state_file(at->path());
        if (!text || !*text) return stop("cannot read " + at->path().string());
        bytes += (*text)->size();
        if (bytes > kMostBytes) return stop("'" + folder + "' holds more than 64 MiB");
        out[relative.generic_string()] = base::crypto::to_base64(**text);
    }
    if (failure) return stop("cannot read '" + folder + "': " + failure.message());
    return out;
}

json::object request_of(const IntentWish& wish) {
    return {
        {"operator", wish.author.empty() ? current_user() : wish.author},
        {"reason", wish.reason},
        {"take_over", wish.take_over},
    };
}

bool confirmed(const Settings& settings, const IntentWish& wish, const std::string& difference) {
    if (wish.yes) return true;
    if (settings.format == Format::text) std::cout << difference_text(difference);
    std::cerr << "Publish this to all gslbs? [y/N] ";
    std::string word;
    std::getline(std::cin, word);
    return word == "y" || word == "yes";
}

/// "3.17"; false for anything else.
bool read_version(const std::string& text, json::object& into) {
    const auto parts = base::text::split(text, '.');
    if (parts.size() != 2) return false;
    const auto epoch = base::text::parse_number<std::int64_t>(parts[0]);
    const auto seq = base::text::parse_number<std::int64_t>(parts[1]);
    if (!epoch || !seq) return false;
    into["epoch"] = *epoch;
    into["seq"] = *seq;
    return true;
}

}  // namespace

ExitCode gslb_peers(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/group"), peers_text);
}

ExitCode gslb_zones(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/status"), zones_text);
}

ExitCode gslb_health(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/status"), health_text);
}

ExitCode gslb_versions(const Settings& settings) {
    return show(settings, gslb(settings).call("GET", "/api/v1/intent"), versions_text);
}

ExitCode gslb_simulate(const Settings& settings, const SimulateWish& wish) {
    auto target = "/api/v1/simulate?" + listed("down", wish.down) + listed("up", wish.up) +
                  listed("drain", wish.drain);
    if (!wish.name.empty()) target += "name=" + percent_encode(wish.name);
    if (target.ends_with('&') || target.ends_with('?')) target.pop_back();
    return show(settings, gslb(settings).call("GET", target), simulate_text);
}

ExitCode gslb_diff(const Settings& settings, const IntentWish& wish) {
    auto files = read_folder(wish.folder);
    if (!files) return ExitCode::exit_usage;
    const auto body = json::serialize(json::object{{"files", *std::move(files)}});
    const auto with_time = patient(settings);
    return show(
        settings, gslb(with_time).call("POST", "/api/v1/intent/check", body), difference_text
    );
}

ExitCode gslb_apply(const Settings& settings, const IntentWish& wish) {
    auto files = read_folder(wish.folder);
    if (!files) return ExitCode::exit_usage;
    const auto with_time = patient(settings);
    if (!wish.yes) {
        const auto body = json::serialize(json::object{{"files", *files}});
        const auto checked = gslb(with_time).call("POST", "/api/v1/intent/check", body);
        if (checked.exit != ExitCode::exit_ok) return show(settings, checked, difference_text);
        if (!confirmed(settings, wish, checked.body)) {
            std::fprintf(stderr, "nothing was published\n");
            return ExitCode::exit_refused;
        }
    }
    auto request = request_of(wish);
    request["files"] = *std::move(files);
    const auto answer =
        gslb(with_time).call("POST", "/api/v1/intent/apply", json::serialize(request));
    return show(settings, answer, published_text);
}

ExitCode gslb_rollback(const Settings& settings, const IntentWish& wish) {
    auto request = request_of(wish);
    if (!wish.version.empty() && !read_version(wish.version, request))
        return fail("'" + wish.version + "' is no version such as 1.4");
    const auto with_time = patient(settings);
    const auto answer =
        gslb(with_time).call("POST", "/api/v1/intent/rollback", json::serialize(request));
    return show(settings, answer, published_text);
}

}  // namespace twinsite::cli
