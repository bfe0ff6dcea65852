// SPDX-License-Identifier: Apache-2.0
#include "base/metrics/openmetrics.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace twinsite::base::metrics {
namespace {

constexpr std::string_view type_name(Type type) {
    switch (type) {
        case Type::counter:
            return "counter";
        case Type::gauge:
            return "gauge";
        case Type::info:
            return "info";
    }
    return "unknown";
}

constexpr std::string_view sample_suffix(Type type) {
    switch (type) {
        case Type::counter:
            return "_total";
        case Type::info:
            return "_info";
        case Type::gauge:
            return "";
    }
    return "";
}

void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') out += '\\';
        out += c;
    }
}

}  // namespace

void Writer::family(std::string_view name, Type type, std::string_view help) {
    name_ = name;
    type_ = type;
    out_.append("# TYPE ").append(name).append(" ").append(type_name(type)).append("\n# HELP ");
    out_.append(name).append(" ");
    append_escaped(out_, help);
    out_ += '\n';
}

void Writer::line(const Labels& labels, const std::string& value) {
    out_.append(name_).append(sample_suffix(type_));
    if (!labels.empty()) {
        char separator = '{';
        for (const auto& [key, text] : labels) {
            (out_ += separator).append(key).append("=\"");
            append_escaped(out_, text);
            out_ += '"';
            separator = ',';
        }
        out_ += '}';
    }
    out_.append(" ").append(value) += '\n';
}

void Writer::sample(const Labels& labels, std::uint64_t value) {
    line(labels, std::to_string(value));
}
void Writer::sample(const Labels& labels, std::int64_t value) {
    line(labels, std::to_string(value));
}
void Writer::sample(const Labels& labels, double value) {
    if (std::isnan(value)) return line(labels, "NaN");
    if (std::isinf(value)) return line(labels, value > 0 ? "+Inf" : "-Inf");
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    line(labels, std::string(digits.data(), end));
}

std::string Writer::finish() {
    out_ += "# EOF\n";
    return std::move(out_);
}

}  // namespace twinsite::base::metrics
