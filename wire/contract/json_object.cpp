// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/json_object.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace twinsite::wire::contract {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kSchema = 1;
constexpr std::size_t kMaxDepth = 12;

std::optional<std::uint64_t> as_unsigned(const json::value& value) {
    if (value.is_uint64()) return value.get_uint64();
    if (value.is_int64() && value.get_int64() >= 0)
        return static_cast<std::uint64_t>(value.get_int64());
    return std::nullopt;
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the UTF-8 character that `text` begins with; 0 when it is not one (RFC 3629 section 4).
std::size_t character_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
    for (std::size_t at = 1; at < size; ++at)
        if (!is_continuation(text[at])) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    const bool beyond = lead == 0xF4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}

}  // namespace

JsonObject::JsonObject(const json::value& value) : object_(value.if_object()) {
    if (object_ == nullptr) fail(Errc::bad_member);
}

const json::value* JsonObject::find(std::string_view name) const {
    return object_ != nullptr && !failure_ ? object_->if_contains(name) : nullptr;
}

std::string JsonObject::text(std::string_view name, std::size_t max_bytes) {
    if (find(name) == nullptr) fail(Errc::bad_member);
    return text_or_empty(name, max_bytes);
}

std::string JsonObject::text_or_empty(std::string_view name, std::size_t max_bytes) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    const auto* text = value->if_string();
    if (text == nullptr) {
        fail(Errc::bad_member);
        return {};
    }
    if (text->size() > max_bytes) {
        fail(Errc::too_large);
        return {};
    }
    return {text->data(), text->size()};
}

std::uint64_t JsonObject::number(std::string_view name) {
    if (find(name) == nullptr) fail(Errc::bad_member);
    return number_or_zero(name);
}

std::uint64_t JsonObject::number_or_zero(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return 0;
    const auto number = as_unsigned(*value);
    if (!number) fail(Errc::bad_member);
    return number.value_or(0);
}

std::int64_t JsonObject::signed_or_zero(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return 0;
    if (value->is_int64()) return value->get_int64();
    fail(Errc::bad_member);
    return 0;
}

bool JsonObject::truth_or_false(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return false;
    if (value->is_bool()) return value->get_bool();
    fail(Errc::bad_member);
    return false;
}

Fence JsonObject::fence_or_zero(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    const auto fence = fence_from_json(value);
    if (fence) return *fence;
    fail(Errc::bad_fence);
    return {};
}

const json::array* JsonObject::list(std::string_view name, std::size_t max_items) {
    const auto* value = find(name);
    if (value == nullptr) return nullptr;
    const auto* list = value->if_array();
    if (list == nullptr) {
        fail(Errc::bad_member);
        return nullptr;
    }
    if (list->size() <= max_items) return list;
    fail(Errc::too_large);
    return nullptr;
}

const json::object* JsonObject::object(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) fail(Errc::bad_member);
    return value->if_object();
}

base::Result<json::value> parse_message(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) return Errc::too_large;
    json::parse_options options;
    options.max_depth = kMaxDepth;
    json::error_code failure;
    auto value = json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
    if (failure || !value.is_object()) return Errc::not_json;
    const auto* schema = value.get_object().if_contains("schema");
    if (schema == nullptr) return Errc::bad_member;
    if (as_unsigned(*schema) != kSchema) return Errc::unknown_schema;
    return value;
}

std::string clean_text(std::string_view text, std::size_t max_bytes) {
    std::string out;
    out.reserve(std::min(text.size(), max_bytes));
    while (!text.empty()) {
        const auto size = character_bytes(text);
        const auto taken = size == 0 ? 1 : size;
        if (out.size() + taken > max_bytes) break;
        if (size == 0)
            out += '?';
        else
            out += text.substr(0, size);
        text.remove_prefix(taken);
    }
    return out;
}

}  // namespace twinsite::wire::contract
