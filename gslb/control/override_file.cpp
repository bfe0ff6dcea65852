// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/override_file.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include <boost/json.hpp>

#include "base/text/text.hpp"
#include "gslb/control/error.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using std::chrono::system_clock;

constexpr std::int64_t kVersion = 1;

const std::string* text_of(const json::object& object, std::string_view key, std::string& into) {
    const auto* value = object.if_contains(key);
    if (value == nullptr || !value->is_string()) return nullptr;
    into = json::value_to<std::string>(*value);
    return &into;
}

/// False when the entry has another shape. `expired` tells that its time has passed.
bool decode_entry(const json::value& value, const Moment& now, Override& out, bool& expired) {
    const auto* object = value.if_object();
    std::string state;
    std::string set_at;
    if (object == nullptr || !text_of(*object, "service", out.key.service) ||
        !text_of(*object, "object", out.key.object) || !text_of(*object, "state", state) ||
        !text_of(*object, "reason", out.reason) || !text_of(*object, "author", out.author) ||
        !text_of(*object, "set_at", set_at))
        return false;
    const auto forced = parse_forced(state);
    const auto since = parse_wall_time(set_at);
    if (!forced || !since) return false;
    out.state = *forced;
    out.set_at = *since;
    if (!object->contains("expires_at")) return true;
    std::string text;
    if (!text_of(*object, "expires_at", text)) return false;
    const auto end = parse_wall_time(text);
    if (!end) return false;
    expired = *end <= now.wall;
    out.expires = now.monotonic + (*end - now.wall);
    return true;
}

}  // namespace

std::string format_wall_time(system_clock::time_point time) {
    const std::time_t seconds = system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::optional<system_clock::time_point> parse_wall_time(std::string_view text) {
    constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
    if (text.size() != kShape.size()) return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t size) {
        return base::text::parse_number<int>(text.substr(at, size)).value_or(-1);
    };
    std::tm parts{};
    parts.tm_year = number(0, 4) - 1900;
    parts.tm_mon = number(5, 2) - 1;
    parts.tm_mday = number(8, 2);
    parts.tm_hour = number(11, 2);
    parts.tm_min = number(14, 2);
    parts.tm_sec = number(17, 2);
    // The clock's nanoseconds reach from 1678 to 2262; what is beyond would overflow.
    constexpr int kFirstYear = 70;
    constexpr int kLastYear = 300;
    if (parts.tm_year < kFirstYear || parts.tm_year > kLastYear) return std::nullopt;
    const auto time = system_clock::from_time_t(::timegm(&parts));
    // timegm takes month 13 for January of the next year: only a text that comes back is one.
    if (format_wall_time(time) != text) return std::nullopt;
    return time;
}

std::string encode_overrides(const Overrides& overrides, const Moment& now) {
    json::array entries;
    for (const auto& entry : overrides.entries()) {
        json::object object{
            {"service", entry.key.service},
            {"object", entry.key.object},
            {"state", steering::to_string(entry.state)},
            {"reason", entry.reason},
            {"author", entry.author},
            {"set_at", format_wall_time(entry.set_at)},
        };
        if (entry.expires) {
            const auto left =
                std::chrono::duration_cast<system_clock::duration>(*entry.expires - now.monotonic);
            object["expires_at"] = format_wall_time(now.wall + left);
        }
        entries.push_back(std::move(object));
    }
    return json::serialize(json::object{{"version", kVersion}, {"overrides", entries}}) + "\n";
}

base::Result<Overrides> decode_overrides(std::string_view text, const Moment& now) {
    boost::system::error_code failure;
    const auto root = json::parse(text, failure);
    const auto* object = failure ? nullptr : root.if_object();
    if (object == nullptr) return Errc::not_json;
    const auto* version = object->if_contains("version");
    if (version == nullptr || !version->is_int64()) return Errc::not_json;
    if (version->as_int64() > kVersion) return Errc::unknown_version;
    const auto* entries = object->if_contains("overrides");
    if (entries == nullptr || !entries->is_array()) return Errc::not_json;
    Overrides out;
    for (const auto& value : entries->as_array()) {
        Override entry;
        bool expired = false;
        if (!decode_entry(value, now, entry, expired)) return Errc::not_json;
        if (!expired) out.set(std::move(entry));
    }
    return out;
}

}  // namespace twinsite::gslb::control
