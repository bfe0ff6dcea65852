// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.hpp"

#include <atomic>
#include <memory>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text/text.hpp"

namespace twinsite::base::log {
namespace {

std::atomic<Format> chosen_format{Format::text};
std::atomic<Level> least_level{Level::info};

constexpr std::string_view level_name(Level level) {
    switch (level) {
        case Level::debug:
            return "debug";
        case Level::info:
            return "info";
        case Level::warning:
            return "warning";
        case Level::error:
            return "error";
    }
    return "error";
}

std::string json_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (byte < 0x20)
            out += "\\u00" + text::to_hex(&byte, 1);
        else
            out += c;
    }
    return out + "\"";
}

// key=value needs quotes as soon as a reader could mistake where the value ends.
std::string text_quoted(std::string_view text) {
    const bool plain =
        !text.empty() && text.find_first_of(" \t\r\n\"=\\") == std::string_view::npos;
    return plain ? std::string(text) : json_quoted(text);
}

spdlog::logger& sink() {
    static const auto logger = [] {
        auto out = std::make_shared<spdlog::logger>(
            "twinsite", std::make_shared<spdlog::sinks::stderr_sink_mt>()
        );
        out->set_level(spdlog::level::trace);
        out->flush_on(spdlog::level::trace);
        out->set_formatter(
            std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc)
        );
        return out;
    }();
    return *logger;
}

std::string timestamp() {
    const auto now = std::chrono::system_clock::now();
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() %
        1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min,
        parts.tm_sec,
        milliseconds
    );
}

void write(Level level, std::string_view name, const Field* fields, std::size_t count) {
    if (!enabled(level)) return;
    const auto format = chosen_format.load(std::memory_order_relaxed);
    const auto line = format_line(format, level, name, fields, count);
    if (format == Format::json)
        sink().info("{{\"time\":\"{}\",{}", timestamp(), std::string_view(line).substr(1));
    else
        sink().info("{} {}", timestamp(), line);
}

}  // namespace

void configure(Format format, Level least) {
    chosen_format.store(format, std::memory_order_relaxed);
    least_level.store(least, std::memory_order_relaxed);
}

bool enabled(Level level) {
    return level >= least_level.load(std::memory_order_relaxed);
}

std::string format_line(
    Format format, Level level, std::string_view name, const Field* fields, std::size_t count
) {
    const bool json = format == Format::json;
    std::string out =
        json ? "{\"level\":" + json_quoted(level_name(level)) + ",\"event\":" + json_quoted(name)
             : std::string(level_name(level)) + " " + std::string(name);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& [key, value] = fields[i];
        if (json)
            out += "," + json_quoted(key) + ":" +
                   (value.quoted ? json_quoted(value.text) : value.text);
        else
            out += " " + std::string(key) + "=" + text_quoted(value.text);
    }
    return json ? out + "}" : out;
}

void event(Level level, std::string_view name, std::initializer_list<Field> fields) {
    write(level, name, fields.begin(), fields.size());
}
void event(Level level, std::string_view name, const std::vector<Field>& fields) {
    write(level, name, fields.data(), fields.size());
}

bool Throttle::allow(Time now, std::uint64_t& held_back) {
    if (now < next_) {
        ++held_back_;
        return false;
    }
    held_back = held_back_;
    held_back_ = 0;
    next_ = now + period_;
    return true;
}

}  // namespace twinsite::base::log
