// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/desired.hpp"

#include <algorithm>
#include <set>

#include <boost/json.hpp>

namespace twinsite::wire::contract {

namespace json = boost::json;

namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxTextBytes = 500;

bool is_clean(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

enum class Need { must_be_there, may_be_absent };

base::Result<std::string> read_text(
    const json::object& from, std::string_view key, std::size_t most_bytes, Need need
) {
    const auto* value = from.if_contains(key);
    if (value == nullptr && need == Need::may_be_absent) return std::string();
    if (value == nullptr || !value->is_string()) return Errc::bad_member;
    const std::string_view text = value->get_string();
    if (text.empty() && need == Need::must_be_there) return Errc::bad_text;
    if (text.size() > most_bytes || !is_clean(text)) return Errc::bad_text;
    return std::string(text);
}

base::Result<DesiredObject> read_object(const json::value& value) {
    const auto* from = value.if_object();
    if (from == nullptr) return Errc::bad_member;
    DesiredObject out;
    const auto take = [&](std::string_view key, std::size_t most, Need need, std::string& into) {
        auto text = read_text(*from, key, most, need);
        if (!text) return text.error();
        into = *std::move(text);
        return base::Error();
    };
    if (auto e = take("object", kMaxNameBytes, Need::must_be_there, out.object)) return e;
    if (auto e = take("state", kMaxNameBytes, Need::must_be_there, out.state)) return e;
    if (auto e = take("reason", kMaxTextBytes, Need::may_be_absent, out.reason)) return e;
    if (auto e = take("since", kMaxNameBytes, Need::may_be_absent, out.since)) return e;
    if (split_object(out.object).rest.empty()) return Errc::bad_name;
    return out;
}

base::Result<void> read_objects(const json::array& from, std::vector<DesiredObject>& out) {
    if (from.size() > kMaxDesiredObjects) return Errc::too_large;
    std::set<std::string> taken;
    for (const auto& value : from) {
        auto object = read_object(value);
        if (!object) return object.error();
        if (!taken.insert(object->object).second) return Errc::twice;
        out.push_back(*std::move(object));
    }
    return {};
}

}  // namespace

ObjectName split_object(std::string_view object) {
    const auto colon = object.find(':');
    if (colon == std::string_view::npos) return {};
    return {object.substr(0, colon), object.substr(colon + 1)};
}

base::Result<Desired> decode_desired(std::string_view text) {
    if (text.size() > kMaxDesiredBytes) return Errc::too_large;
    base::Error failure;
    const auto root = json::parse(text, failure);
    const auto* from = failure ? nullptr : root.if_object();
    if (from == nullptr) return Errc::not_json;
    if (const auto* schema = from->if_contains("schema"))
        if (!schema->is_int64() || schema->as_int64() != kSchema) return Errc::unknown_schema;
    Desired out;
    const auto fence = fence_from_json(from->if_contains("fence"));
    if (!fence) return fence.error();
    out.fence = *fence;
    auto server = read_text(*from, "server", kMaxTextBytes, Need::may_be_absent);
    if (!server) return server.error();
    out.server = *std::move(server);
    const auto* objects = from->if_contains("objects");
    if (objects == nullptr || !objects->is_array()) return Errc::bad_member;
    if (const auto read = read_objects(objects->get_array(), out.objects); !read)
        return read.error();
    return out;
}

std::string encode(const Desired& desired) {
    json::array objects;
    for (const auto& each : desired.objects)
        objects.push_back(json::object{
            {"object", each.object},
            {"state", each.state},
            {"reason", each.reason},
            {"since", each.since},
        });
    return json::serialize(json::object{
               {"schema", kSchema},
               {"fence", to_json(desired.fence)},
               {"server", desired.server},
               {"objects", std::move(objects)},
           }) +
           "\n";
}

}  // namespace twinsite::wire::contract
