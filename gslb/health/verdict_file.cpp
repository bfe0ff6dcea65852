// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/verdict_file.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/file/state_file.hpp"

namespace twinsite::gslb::health {

namespace json = boost::json;
using base::Error;
using base::Result;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t kFormat = 1;

std::int64_t milliseconds_of(WallTime time) {
    return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

std::optional<std::int64_t> find_number(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    const auto* number = value ? value->if_int64() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

std::optional<State> find_state(const json::object& object) {
    const auto* value = object.if_contains("state");
    const auto* text = value ? value->if_string() : nullptr;
    if (!text) return std::nullopt;
    for (const auto state : {State::up, State::down})
        if (*text == to_string(state)) return state;
    return std::nullopt;
}

std::optional<SavedVerdict> verdict_of(const json::value& value, milliseconds passed) {
    const auto* object = value.if_object();
    if (!object) return std::nullopt;
    const auto state = find_state(*object);
    const auto age = find_number(*object, "age_ms");
    // A year bounds the sum; older than that is as good as a year.
    constexpr std::int64_t kYear = std::int64_t{366} * 24 * 3600 * 1000;
    if (!state || !age || *age < 0) return std::nullopt;
    return SavedVerdict{*state, milliseconds(std::min(*age, kYear)) + passed};
}

}  // namespace

std::string to_json(const SavedVerdicts& verdicts, WallTime now) {
    json::object all;
    for (const auto& [question, verdict] : verdicts) {
        json::object one;
        one["state"] = to_string(verdict.state);
        one["age_ms"] = verdict.age.count();
        all[question] = std::move(one);
    }
    json::object file;
    file["format"] = kFormat;
    file["written_at_ms"] = milliseconds_of(now);
    file["verdicts"] = std::move(all);
    return json::serialize(file) + "\n";
}

std::optional<SavedVerdicts> from_json(std::string_view text, WallTime now) {
    Error failure;
    const auto parsed = json::parse(text, failure);
    const auto* file = failure ? nullptr : parsed.if_object();
    if (!file || find_number(*file, "format") != kFormat) return std::nullopt;
    const auto written_at = find_number(*file, "written_at_ms");
    const auto* all = file->if_contains("verdicts");
    if (!written_at || *written_at < 0 || !all || !all->is_object()) return std::nullopt;
    const milliseconds passed(std::max<std::int64_t>(0, milliseconds_of(now) - *written_at));
    SavedVerdicts out;
    for (const auto& [question, value] : all->get_object()) {
        const auto verdict = verdict_of(value, passed);
        if (!verdict) return std::nullopt;
        out.emplace(std::string(question), *verdict);
    }
    return out;
}

Result<SavedVerdicts> read_verdicts(const std::string& path, WallTime now) {
    const auto text = base::file::read_state_file(path);
    if (!text) return text.error();
    if (!*text) return SavedVerdicts();
    auto verdicts = from_json(**text, now);
    if (!verdicts) return make_error_code(boost::system::errc::bad_message);
    return std::move(*verdicts);
}

Result<void> write_verdicts(const std::string& path, const SavedVerdicts& verdicts, WallTime now) {
    // The next round of checks tells the same again: not worth a wait for the disk.
    return base::file::write_state_file(
        path, to_json(verdicts, now), base::file::Durability::renamed
    );
}

}  // namespace twinsite::gslb::health
