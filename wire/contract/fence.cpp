// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/fence.hpp"

#include <optional>

#include <boost/json.hpp>

namespace twinsite::wire::contract {

namespace json = boost::json;

namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::size_t kMaxFileBytes = 64 * 1024;
constexpr std::size_t kMaxScopes = 1'000;
constexpr std::size_t kMaxScopeBytes = 200;

std::optional<std::uint64_t> read_number(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_uint64()) return value->as_uint64();
    if (!value->is_int64() || value->as_int64() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value->as_int64());
}

}  // namespace

std::string to_string(const Fence& fence) {
    return std::to_string(fence.generation) + "." + std::to_string(fence.revision);
}

json::object to_json(const Fence& fence) {
    return {{"generation", fence.generation}, {"revision", fence.revision}};
}

base::Result<Fence> fence_from_json(const json::value* value) {
    const auto* object = value == nullptr ? nullptr : value->if_object();
    if (object == nullptr) return Errc::bad_fence;
    const auto generation = read_number(*object, "generation");
    const auto revision = read_number(*object, "revision");
    if (!generation || !revision) return Errc::bad_fence;
    return Fence{*generation, *revision};
}

bool FenceGuard::accept(std::string_view scope, const Fence& fence) {
    const auto at = highest_.find(scope);
    if (at == highest_.end()) {
        highest_.emplace(scope, fence);
        return true;
    }
    if (fence < at->second) return false;
    at->second = fence;
    return true;
}

Fence FenceGuard::highest(std::string_view scope) const {
    const auto at = highest_.find(scope);
    return at == highest_.end() ? Fence{} : at->second;
}

std::string FenceGuard::to_json_text() const {
    json::object scopes;
    for (const auto& [scope, fence] : highest_) scopes[scope] = to_json(fence);
    return json::serialize(json::object{{"schema", kSchema}, {"scopes", std::move(scopes)}}) + "\n";
}

base::Result<FenceGuard> FenceGuard::from_json_text(std::string_view text) {
    if (text.size() > kMaxFileBytes) return Errc::too_large;
    base::Error failure;
    const auto root = json::parse(text, failure);
    const auto* object = failure ? nullptr : root.if_object();
    if (object == nullptr) return Errc::not_json;
    const auto schema = read_number(*object, "schema");
    if (!schema) return Errc::not_json;
    if (*schema > kSchema) return Errc::unknown_schema;
    const auto* scopes = object->if_contains("scopes");
    if (scopes == nullptr || !scopes->is_object()) return Errc::not_json;
    if (scopes->as_object().size() > kMaxScopes) return Errc::too_large;
    FenceGuard out;
    for (const auto& member : scopes->as_object()) {
        if (member.key().size() > kMaxScopeBytes) return Errc::bad_name;
        const auto fence = fence_from_json(&member.value());
        if (!fence) return fence.error();
        out.highest_[std::string(member.key())] = *fence;
    }
    return out;
}

}  // namespace twinsite::wire::contract
