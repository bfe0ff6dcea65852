// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Structured log: one line per event, at the edges, never per message above debug. The event's
/// name is a stable identifier; docs/operator/events.md explains each (a test compares the two).
namespace twinsite::base::log {

enum class Level : std::uint8_t { debug, info, warning, error };
enum class Format : std::uint8_t { text, json };

/// Any thread. Lines go to standard error. The default is text from info up.
void configure(Format format, Level least);
bool enabled(Level level);

/// A value of a field: text, number or truth; numbers and truth are not quoted in JSON.
struct Value {
    std::string text;
    bool quoted = true;

    Value(std::string_view value) : text(value) {}
    Value(const std::string& value) : text(value) {}
    Value(const char* value) : text(value) {}
    Value(bool value) : text(value ? "true" : "false"), quoted(false) {}
    template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
    Value(Number value) : text(std::to_string(value)), quoted(false) {}
    Value(std::chrono::milliseconds value) : text(std::to_string(value.count())), quoted(false) {}
};

struct Field {
    std::string_view key;
    Value value;
};

/// `log::event(Level::info, "target_state_changed", {{"target", name}, {"to", "down"}})`
void event(Level level, std::string_view name, std::initializer_list<Field> fields = {});
void event(Level level, std::string_view name, const std::vector<Field>& fields);

/// The line without time and level, for tests.
std::string format_line(
    Format format, Level level, std::string_view name, const Field* fields, std::size_t count
);

/// Lets a repeated event through at most once per period, and tells how many it held back since.
/// One thread. Told the time, so that tests are exact.
class Throttle {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit Throttle(std::chrono::milliseconds period) : period_(period) {}
    /// True: log now; `held_back` then counts the events suppressed since the last one logged.
    bool allow(Time now, std::uint64_t& held_back);

private:
    std::chrono::milliseconds period_;
    Time next_{};
    std::uint64_t held_back_ = 0;
};

}  // namespace twinsite::base::log
