// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/key_book_file.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/crypto/base64.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace json = boost::json;

std::string file_stem(const wire::dns::Name& zone) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : zone.lowered().to_string()) {
        if (kPlain.find(c) != std::string_view::npos) {
            out.push_back(c);
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(c);
        out.push_back('%');
        out.push_back(kDigits[byte >> 4]);
        out.push_back(kDigits[byte & 15]);
    }
    return out;
}

json::object encode_key(const BookedKey& key) {
    json::object out;
    out["tag"] = key.tag();
    out["role"] = to_string(key.role);
    out["state"] = to_string(key.state);
    out["created"] = key.created;
    out["since"] = key.since;
    out["public"] = base::crypto::to_base64(
        {reinterpret_cast<const char*>(key.public_key.data()), key.public_key.size()}
    );
    return out;
}

json::object encode_roll(const Roll& roll) {
    json::object out;
    out["role"] = to_string(roll.role);
    out["old"] = roll.old_tag;
    out["new"] = roll.new_tag;
    out["step"] = to_string(roll.step);
    out["since"] = roll.since;
    out["automatic"] = roll.automatic;
    return out;
}

/// Reads fields of one object; the first that is missing or of another kind is kept as the problem.
class Fields {
public:
    Fields(const json::value& from, std::string& problem)
        : object_(from.if_object()), problem_(problem) {
        if (!object_) fail("an object is missing");
    }

    std::string text(const char* name) {
        const auto* value = find(name);
        const auto* out = value ? value->if_string() : nullptr;
        if (!out) {
            fail(std::string("'") + name + "' must be a text");
            return {};
        }
        return {out->begin(), out->end()};
    }
    std::int64_t number(const char* name, std::int64_t most) {
        const auto* value = find(name);
        const auto* out = value ? value->if_int64() : nullptr;
        if (!out || *out < 0 || *out > most) {
            fail(std::string("'") + name + "' must be a number of 0.." + std::to_string(most));
            return 0;
        }
        return *out;
    }
    bool truth(const char* name) {
        const auto* value = find(name);
        const auto* out = value ? value->if_bool() : nullptr;
        if (!out) fail(std::string("'") + name + "' must be true or false");
        return out && *out;
    }
    template <class T>
    T word(const char* name, std::optional<T> (*parse)(std::string_view)) {
        const auto found = text(name);
        const auto out = parse(found);
        if (!out) fail("'" + std::string(name) + "' has an unknown value");
        return out.value_or(T{});
    }
    const json::value* find(const char* name) const {
        return object_ ? object_->if_contains(name) : nullptr;
    }
    void fail(std::string text) {
        if (problem_.empty()) problem_ = std::move(text);
    }

private:
    const json::object* object_;
    std::string& problem_;
};

constexpr std::int64_t kLastTime = 1LL << 40;
constexpr std::int64_t kLastTag = 0xffff;

BookedKey decode_key(const json::value& from, std::string& problem) {
    Fields fields(from, problem);
    BookedKey out;
    out.role = fields.word("role", parse_key_role);
    out.state = fields.word("state", parse_key_state);
    out.created = fields.number("created", kLastTime);
    out.since = fields.number("since", kLastTime);
    const auto point = base::crypto::from_base64(fields.text("public"));
    if (!point || point->size() != out.public_key.size())
        fields.fail("'public' must be the base64 of 64 bytes");
    else
        std::copy(point->begin(), point->end(), out.public_key.begin());
    if (fields.number("tag", kLastTag) != out.tag()) fields.fail("'tag' is not that of the key");
    return out;
}

Roll decode_roll(const json::value& from, std::string& problem) {
    Fields fields(from, problem);
    Roll out;
    out.role = fields.word("role", parse_key_role);
    out.old_tag = static_cast<std::uint16_t>(fields.number("old", kLastTag));
    out.new_tag = static_cast<std::uint16_t>(fields.number("new", kLastTag));
    out.step = fields.word("step", parse_roll_step);
    out.since = fields.number("since", kLastTime);
    out.automatic = fields.truth("automatic");
    return out;
}

}  // namespace

std::string encode_key_book(const KeyBook& book) {
    const json::value zone(json::string(book.zone.to_string()));
    std::string out = "{\"version\": 1, \"zone\": " + json::serialize(zone) + ",\n\"keys\": [";
    for (std::size_t i = 0; i < book.keys.size(); ++i)
        out += (i == 0 ? "\n  " : ",\n  ") + json::serialize(encode_key(book.keys[i]));
    out += "]";
    if (book.roll) out += ",\n\"roll\": " + json::serialize(encode_roll(*book.roll));
    return out + "}\n";
}

std::variant<KeyBook, std::string> decode_key_book(std::string_view text) {
    boost::system::error_code failed;
    const auto parsed = json::parse({text.data(), text.size()}, failed);
    if (failed) return "not JSON: " + failed.message();
    std::string problem;
    Fields fields(parsed, problem);
    if (fields.number("version", kLastTag) != 1) fields.fail("'version' must be 1");
    KeyBook out;
    const auto zone = wire::dns::parse_name(fields.text("zone"));
    if (zone)
        out.zone = *zone;
    else
        fields.fail("'zone' must be a name");
    const auto* keys = fields.find("keys");
    if (keys && keys->is_array()) {
        for (const auto& key : keys->get_array()) out.keys.push_back(decode_key(key, problem));
    } else {
        fields.fail("'keys' must be a list");
    }
    if (const auto* roll = fields.find("roll")) out.roll = decode_roll(*roll, problem);
    if (problem.empty()) problem = find_fault(out);
    if (!problem.empty()) return problem;
    return out;
}

std::string key_book_file(const wire::dns::Name& zone) {
    return file_stem(zone) + "keys.json";
}

std::string secret_file(const wire::dns::Name& zone, std::uint16_t tag) {
    std::string digits = std::to_string(tag);
    digits.insert(0, 5 - digits.size(), '0');
    return file_stem(zone) + "+013+" + digits + ".pem";
}

std::string premade_file(const wire::dns::Name& zone) {
    return file_stem(zone) + "signatures";
}

}  // namespace twinsite::gslb::zone
