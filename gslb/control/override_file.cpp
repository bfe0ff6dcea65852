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

std::uint64_t number_of(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    if (value == nullptr) return 0;
    if (value->is_uint64()) return value->get_uint64();
    return value->is_int64() && value->get_int64() >= 0
               ? static_cast<std::uint64_t>(value->get_int64())
               : 0;
}

/// What was written before there were stamps is as old as it says.
void read_stamp(const json::object& object, Override& out) {
    const auto* value = object.if_contains("stamp");
    const auto* stamp = value == nullptr ? nullptr : value->if_object();
    if (stamp == nullptr) {
        const auto since = std::chrono::floor<std::chrono::milliseconds>(out.set_at);
        out.stamp.clock = static_cast<std::uint64_t>(since.time_since_epoch().count()) << 16U;
        return;
    }
    out.stamp.epoch = number_of(*stamp, "epoch");
    out.stamp.clock = number_of(*stamp, "clock");
    text_of(*stamp, "node", out.stamp.node);
}

/// False when it is neither absent nor a scope.
bool read_scope(const json::object& object, Scope& out) {
    std::string text;
    if (!object.contains("scope")) return true;
    const auto scope = text_of(object, "scope", text) ? parse_scope(text) : std::nullopt;
    if (scope) out = *scope;
    return scope.has_value();
}

json::object entry_to_json(const Override& entry, const Moment& now) {
    json::object out{
        {"service", entry.key.service},
        {"object", entry.key.object},
        {"scope", to_string(entry.key.scope)},
        {"state", steering::to_string(entry.state)},
        {"reason", entry.reason},
        {"author", entry.author},
        {"set_at", format_wall_time(entry.set_at)},
        {"stamp",
         json::object{
             {"epoch", entry.stamp.epoch}, {"clock", entry.stamp.clock}, {"node", entry.stamp.node}
         }},
    };
    if (entry.expires) {
        const auto left =
            std::chrono::duration_cast<system_clock::duration>(*entry.expires - now.monotonic);
        out["expires_at"] = format_wall_time(now.wall + left);
    }
    return out;
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
    const auto forced =
        state == "none" ? std::optional(steering::Forced::none) : parse_forced(state);
    const auto since = parse_wall_time(set_at);
    if (!forced || !since || !read_scope(*object, out.key.scope)) return false;
    out.state = *forced;
    out.set_at = *since;
    read_stamp(*object, out);
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
    for (const auto& entry : overrides.entries()) entries.push_back(entry_to_json(entry, now));
    json::array marks;
    for (const auto& mark : overrides.marks()) marks.push_back(entry_to_json(mark, now));
    json::object out{{"version", kVersion}, {"overrides", entries}, {"ended", marks}};
    return json::serialize(out) + "\n";
}

namespace {

/// False when an entry of the list has another shape. What has expired becomes a mark.
bool read_entries(const json::array& from, const Moment& now, Overrides& out) {
    for (const auto& value : from) {
        Override entry;
        bool expired = false;
        if (!decode_entry(value, now, entry, expired)) return false;
        if (expired) entry.state = steering::Forced::none;
        out.set(std::move(entry));
    }
    return true;
}

}  // namespace

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
    if (!read_entries(entries->as_array(), now, out)) return Errc::not_json;
    const auto* marks = object->if_contains("ended");
    if (marks == nullptr) return out;
    if (!marks->is_array() || !read_entries(marks->as_array(), now, out)) return Errc::not_json;
    return out;
}

}  // namespace twinsite::gslb::control
