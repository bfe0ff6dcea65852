// SPDX-License-Identifier: Apache-2.0
#include "cli/output/value.hpp"

#include <array>
#include <cstdio>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/text/text.hpp"

namespace twinsite::cli::output {
namespace json = boost::json;

namespace {

std::string below(const std::string& path, std::string_view key) {
    auto out = path;
    if (!out.empty()) out += '.';
    return out.append(key);
}

// The elements of a list of named things are told apart by their names.
std::string element_of(const std::string& path, const json::value& element, std::size_t index) {
    const auto name = text_at(element, "name");
    return path + "[" + (name.empty() ? std::to_string(index) : name) + "]";
}

void flatten_into(
    const json::value& value,
    const std::string& path,
    std::vector<std::pair<std::string, std::string>>& out
) {
    if (const auto* object = value.if_object()) {
        for (const auto& [key, child] : *object)
            flatten_into(child, below(path, {key.data(), key.size()}), out);
        return;
    }
    const auto* list = value.if_array();
    if (list == nullptr) {
        out.emplace_back(path, to_text(value));
        return;
    }
    for (std::size_t i = 0; i < list->size(); ++i)
        flatten_into((*list)[i], element_of(path, (*list)[i], i), out);
}

}  // namespace

json::value parse_body(const std::string& body) {
    boost::system::error_code failed;
    auto out = json::parse(body, failed);
    return failed ? json::value() : out;
}

const json::value& member(const json::value& object, std::string_view key) {
    static const json::value nothing;
    const auto* members = object.if_object();
    if (members == nullptr) return nothing;
    const auto* found = members->if_contains(json::string_view(key.data(), key.size()));
    return found == nullptr ? nothing : *found;
}

std::vector<const json::value*> elements(const json::value& list) {
    std::vector<const json::value*> out;
    if (const auto* array = list.if_array())
        for (const auto& element : *array) out.push_back(&element);
    return out;
}

std::string to_text(const json::value& scalar) {
    if (scalar.is_null()) return "";
    if (const auto* text = scalar.if_string()) return std::string(*text);
    if (scalar.is_array()) {
        std::vector<std::string> parts;
        for (const auto* element : elements(scalar)) parts.push_back(to_text(*element));
        return base::text::join(parts, ", ");
    }
    if (const auto* number = scalar.if_double()) {
        std::array<char, 32> digits{};
        std::snprintf(digits.data(), digits.size(), "%.6g", *number);
        return digits.data();
    }
    return json::serialize(scalar);
}

std::string text_at(const json::value& object, std::string_view key) {
    return to_text(member(object, key));
}

std::vector<std::pair<std::string, std::string>> flatten(const json::value& value) {
    std::vector<std::pair<std::string, std::string>> out;
    flatten_into(value, "", out);
    return out;
}

std::string spell_seconds(long long seconds) {
    std::array<char, 48> out{};
    if (seconds < 60) {
        std::snprintf(out.data(), out.size(), "%llds", seconds);
    } else if (seconds < 3600) {
        std::snprintf(out.data(), out.size(), "%lldm %02llds", seconds / 60, seconds % 60);
    } else if (seconds < 86'400) {
        std::snprintf(out.data(), out.size(), "%lldh %02lldm", seconds / 3600, seconds / 60 % 60);
    } else {
        std::snprintf(
            out.data(), out.size(), "%lldd %02lldh", seconds / 86'400, seconds / 3600 % 24
        );
    }
    return out.data();
}

}  // namespace twinsite::cli::output
