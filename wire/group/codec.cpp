// SPDX-License-Identifier: Apache-2.0
#include "wire/group/codec.hpp"

#include <algorithm>
#include <limits>

#include <boost/json.hpp>

#include "wire/contract/json_object.hpp"
#include "wire/group/error.hpp"

namespace twinsite::wire::group {
namespace {

namespace json = boost::json;
using contract::JsonObject;

constexpr std::size_t kName = 200;
constexpr std::size_t kText = 1'000;
constexpr std::size_t kCertificate = 16'384;
constexpr std::size_t kHash = 64;
constexpr std::uint64_t kYears_ms = std::uint64_t{100} * 366 * 86'400'000;

json::object start() {
    return {{"schema", 1}};
}

bool is_hash(std::string_view text) {
    return text.size() == kHash && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

/// Reads one object; keeps the first failure, be it of the JSON or of a value.
class Fields {
public:
    explicit Fields(const json::value& value) : from_(value) {}

    JsonObject& json() { return from_; }
    std::string name(std::string_view key) { return from_.text(key, kName); }
    std::string text(std::string_view key) { return from_.text_or_empty(key, kText); }
    std::string hash(std::string_view key) {
        auto out = from_.text_or_empty(key, kHash);
        if (!out.empty() && !is_hash(out)) fail(Errc::bad_hash);
        return out;
    }
    template <class T>
    T number(std::string_view key, std::uint64_t most = std::numeric_limits<T>::max()) {
        const auto out = from_.number(key);
        if (out <= most) return static_cast<T>(out);
        fail(Errc::bad_number);
        return 0;
    }
    double real(std::string_view key, double least, double most) {
        const auto* value = from_.find(key);
        double out = 0;
        if (value != nullptr && value->is_double())
            out = value->get_double();
        else
            out = static_cast<double>(from_.number(key));
        if (out >= least && out <= most) return out;
        fail(Errc::bad_number);
        return least;
    }
    Stamp stamp() {
        Stamp out;
        const auto* value = from_.find("stamp");
        if (value == nullptr) {
            from_.fail(contract::Errc::bad_member);
            return out;
        }
        Fields of(*value);
        out.epoch = of.number<std::uint64_t>("epoch");
        out.clock = of.number<std::uint64_t>("clock");
        out.node = of.name("node");
        if (const auto wrong = of.failure()) fail(*wrong);
        return out;
    }
    IntentVersion version(std::string_view key) {
        IntentVersion out;
        const auto* value = from_.find(key);
        if (value == nullptr) return out;
        Fields of(*value);
        out.epoch = of.number<std::uint64_t>("epoch");
        out.seq = of.number<std::uint64_t>("seq");
        out.hash = of.hash("hash");
        if (const auto wrong = of.failure()) fail(*wrong);
        return out;
    }

    void fail(base::Error failure) {
        if (!failure_) failure_ = failure;
    }
    std::optional<base::Error> failure() const {
        if (failure_) return failure_;
        if (from_.failure()) return make_error_code(*from_.failure());
        return std::nullopt;
    }

private:
    JsonObject from_;
    std::optional<base::Error> failure_;
};

/// Parses `payload`, lets `read` take its members, and gives what it made.
template <class Message, class Read>
base::Result<Message> decode(std::string_view payload, Read read) {
    json::monotonic_resource memory(contract::kMessageMemoryBytes);
    const auto value = contract::parse_message(payload, kMaxPayloadBytes, &memory);
    if (!value) return value.error();
    Fields fields(*value);
    Message out;
    read(fields, out);
    if (const auto wrong = fields.failure()) return *wrong;
    return out;
}

template <class Entry, class Read>
void read_list(
    Fields& from, std::string_view key, std::size_t most, std::vector<Entry>& out, Read read
) {
    const auto* list = from.json().list(key, most);
    if (list == nullptr) return;
    out.reserve(list->size());
    for (const auto& value : *list) {
        Fields fields(value);
        read(fields, out.emplace_back());
        if (const auto wrong = fields.failure()) return from.fail(*wrong);
    }
}

json::object to_json(const Stamp& stamp) {
    return {{"epoch", stamp.epoch}, {"clock", stamp.clock}, {"node", stamp.node}};
}

json::object to_json(const IntentVersion& version) {
    return {{"epoch", version.epoch}, {"seq", version.seq}, {"hash", version.hash}};
}

json::object to_json(const OverrideEntry& entry) {
    json::object out{
        {"service", entry.service},
        {"object", entry.object},
        {"state", entry.state},
        {"reason", entry.reason},
        {"author", entry.author},
        {"age_ms", entry.age_ms},
        {"stamp", to_json(entry.stamp)},
    };
    if (entry.left_ms) out["left_ms"] = *entry.left_ms;
    return out;
}

void read_override(Fields& from, OverrideEntry& out) {
    out.service = from.name("service");
    out.object = from.name("object");
    out.state = from.text("state");
    out.reason = from.text("reason");
    out.author = from.text("author");
    out.age_ms = from.number<std::uint64_t>("age_ms", kYears_ms);
    if (from.json().find("left_ms") != nullptr)
        out.left_ms = from.number<std::uint64_t>("left_ms", kYears_ms);
    out.stamp = from.stamp();
    const bool known =
        out.state.empty() || out.state == "up" || out.state == "down" || out.state == "drain";
    if (!known || out.service.empty() || out.object.empty())
        from.fail(make_error_code(contract::Errc::bad_name));
}

std::string text_of(json::object object) {
    return json::serialize(object);
}

}  // namespace

std::string encode(const Hello& message) {
    auto out = start();
    out["node"] = message.node;
    out["site"] = message.site;
    out["program"] = message.program;
    out["first_version"] = message.first_version;
    out["last_version"] = message.last_version;
    return text_of(std::move(out));
}

base::Result<Hello> decode_hello(std::string_view payload) {
    return decode<Hello>(payload, [](Fields& from, Hello& out) {
        out.node = from.name("node");
        out.site = from.name("site");
        out.program = from.text("program");
        out.first_version = from.number<std::uint8_t>("first_version");
        out.last_version = from.number<std::uint8_t>("last_version");
    });
}

std::string encode(const Heartbeat& message) {
    auto out = start();
    out["seq"] = message.seq;
    out["heard"] = message.heard;
    out["draining"] = message.draining;
    return text_of(std::move(out));
}

base::Result<Heartbeat> decode_heartbeat(std::string_view payload) {
    return decode<Heartbeat>(payload, [](Fields& from, Heartbeat& out) {
        out.seq = from.number<std::uint64_t>("seq");
        out.heard = from.json().number_or_zero("heard");
        out.draining = from.json().truth_or_false("draining");
    });
}

std::string encode(const Digest& message) {
    auto out = start();
    out["intent"] = to_json(message.intent);
    out["overrides"] = message.overrides;
    out["secrets"] = message.secrets;
    out["fences"] = message.fences;
    out["decision_inputs"] = message.decision_inputs;
    out["decision_tables"] = message.decision_tables;
    return text_of(std::move(out));
}

base::Result<Digest> decode_digest(std::string_view payload) {
    return decode<Digest>(payload, [](Fields& from, Digest& out) {
        out.intent = from.version("intent");
        out.overrides = from.hash("overrides");
        out.secrets = from.hash("secrets");
        out.fences = from.hash("fences");
        out.decision_inputs = from.hash("decision_inputs");
        out.decision_tables = from.hash("decision_tables");
    });
}

std::string encode(const Pull& message) {
    auto out = start();
    out["what"] = static_cast<unsigned>(message.what);
    out["from"] = message.from;
    out["hash"] = message.hash;
    out["offset"] = message.offset;
    return text_of(std::move(out));
}

base::Result<Pull> decode_pull(std::string_view payload) {
    return decode<Pull>(payload, [](Fields& from, Pull& out) {
        out.what = static_cast<Kind>(from.number<std::uint8_t>("what"));
        out.from = from.json().text_or_empty("from", 2 * kName + 1);
        out.hash = from.hash("hash");
        out.offset = from.json().number_or_zero("offset");
    });
}

std::string encode(const Overrides& message) {
    json::array entries;
    for (const auto& entry : message.entries) entries.push_back(to_json(entry));
    auto out = start();
    out["entries"] = std::move(entries);
    out["more"] = message.more;
    return text_of(std::move(out));
}

base::Result<Overrides> decode_overrides(std::string_view payload) {
    return decode<Overrides>(payload, [](Fields& from, Overrides& out) {
        read_list(from, "entries", kMaxOverrides, out.entries, read_override);
        out.more = from.json().truth_or_false("more");
    });
}

std::string encode(const Observations& message) {
    json::array list;
    for (const auto& each : message.list)
        list.push_back(json::object{
            {"target", each.target},
            {"check", each.check},
            {"seq", each.seq},
            {"result", each.result},
            {"rtt_us", each.rtt_us},
            {"age_ms", each.age_ms},
        });
    auto out = start();
    out["observer"] = message.observer;
    out["list"] = std::move(list);
    return text_of(std::move(out));
}

base::Result<Observations> decode_observations(std::string_view payload) {
    return decode<Observations>(payload, [](Fields& from, Observations& out) {
        out.observer = from.name("observer");
        read_list(from, "list", kMaxObservations, out.list, [](Fields& of, Observation& each) {
            each.target = of.json().text("target", 2 * kName);
            each.check = of.json().text("check", 2 * kName);
            each.seq = of.number<std::uint64_t>("seq");
            each.result = of.name("result");
            each.rtt_us = of.number<std::uint64_t>("rtt_us", kYears_ms);
            each.age_ms = of.number<std::uint64_t>("age_ms", kYears_ms);
            if (each.result != "up" && each.result != "down" && each.result != "unknown")
                of.fail(make_error_code(contract::Errc::bad_name));
        });
    });
}

std::string encode(const Loads& message) {
    json::array list;
    for (const auto& each : message.list)
        list.push_back(json::object{
            {"service", each.service},
            {"target", each.target},
            {"load_percent", each.load_percent},
            {"seq", each.seq},
            {"age_ms", each.age_ms},
        });
    auto out = start();
    out["list"] = std::move(list);
    return text_of(std::move(out));
}

base::Result<Loads> decode_loads(std::string_view payload) {
    return decode<Loads>(payload, [](Fields& from, Loads& out) {
        read_list(from, "list", kMaxLoads, out.list, [](Fields& of, Load& each) {
            each.service = of.name("service");
            each.target = of.name("target");
            each.load_percent = of.real("load_percent", 0, 1'000);
            each.seq = of.number<std::uint64_t>("seq");
            each.age_ms = of.number<std::uint64_t>("age_ms", kYears_ms);
        });
    });
}

std::string encode(const Secrets& message) {
    auto out = start();
    out["current"] = message.current;
    out["next"] = message.next;
    out["stamp"] = to_json(message.stamp);
    return text_of(std::move(out));
}

base::Result<Secrets> decode_secrets(std::string_view payload) {
    return decode<Secrets>(payload, [](Fields& from, Secrets& out) {
        out.current = from.name("current");
        out.next = from.json().text_or_empty("next", kName);
        out.stamp = from.stamp();
    });
}

std::string encode(const Fences& message) {
    json::array list;
    for (const auto& each : message.list)
        list.push_back(json::object{{"scope", each.scope}, {"fence", contract::to_json(each.fence)}}
        );
    auto out = start();
    out["list"] = std::move(list);
    return text_of(std::move(out));
}

base::Result<Fences> decode_fences(std::string_view payload) {
    constexpr std::size_t kMostScopes = 100;
    return decode<Fences>(payload, [](Fields& from, Fences& out) {
        read_list(from, "list", kMostScopes, out.list, [](Fields& of, ScopedFence& each) {
            each.scope = of.name("scope");
            each.fence = of.json().fence_or_zero("fence");
        });
    });
}

std::string encode(const IntentHeader& message) {
    auto out = start();
    out["epoch"] = message.epoch;
    out["seq"] = message.seq;
    out["parent"] = message.parent;
    out["content"] = message.content;
    out["author"] = message.author;
    out["operator"] = message.operator_;
    out["reason"] = message.reason;
    out["min_reader"] = message.min_reader;
    out["bytes"] = message.bytes;
    out["certificate"] = message.certificate;
    out["signature"] = message.signature;
    return text_of(std::move(out));
}

base::Result<IntentHeader> decode_intent_header(std::string_view payload) {
    return decode<IntentHeader>(payload, [](Fields& from, IntentHeader& out) {
        out.epoch = from.number<std::uint64_t>("epoch");
        out.seq = from.number<std::uint64_t>("seq");
        out.parent = from.hash("parent");
        out.content = from.hash("content");
        out.author = from.name("author");
        out.operator_ = from.text("operator");
        out.reason = from.text("reason");
        out.min_reader = from.number<std::uint32_t>("min_reader");
        out.bytes = from.number<std::uint64_t>("bytes", kMaxIntentBytes);
        out.certificate = from.json().text("certificate", kCertificate);
        out.signature = from.name("signature");
        if (out.content.empty()) from.fail(make_error_code(Errc::bad_hash));
        if (out.epoch == 0 || out.seq == 0) from.fail(make_error_code(Errc::bad_number));
    });
}

std::string encode(const IntentPart& message) {
    auto out = start();
    out["hash"] = message.hash;
    out["offset"] = message.offset;
    return text_of(std::move(out)) + "\n" + message.data;
}

base::Result<IntentPart> decode_intent_part(std::string_view payload) {
    const auto end = payload.find('\n');
    if (end == std::string_view::npos) return contract::Errc::not_json;
    auto out = decode<IntentPart>(payload.substr(0, end), [](Fields& from, IntentPart& part) {
        part.hash = from.hash("hash");
        part.offset = from.number<std::uint64_t>("offset", kMaxIntentBytes);
    });
    if (!out) return out;
    const auto data = payload.substr(end + 1);
    if (data.size() > kIntentPartBytes) return contract::Errc::too_large;
    out->data = data;
    return out;
}

std::string encode(const Decisions& message) {
    json::array list;
    for (const auto& each : message.list)
        list.push_back(
            json::object{{"owner", each.owner}, {"inputs", each.inputs}, {"table", each.table}}
        );
    auto out = start();
    out["list"] = std::move(list);
    out["more"] = message.more;
    return text_of(std::move(out));
}

base::Result<Decisions> decode_decisions(std::string_view payload) {
    constexpr std::size_t kOwner = 1'100;  // a name of 255 bytes, every byte as \DDD
    return decode<Decisions>(payload, [](Fields& from, Decisions& out) {
        read_list(from, "list", kMaxDecisions, out.list, [](Fields& of, PolicyDigest& each) {
            each.owner = of.json().text("owner", kOwner);
            each.inputs = of.name("inputs");
            each.table = of.name("table");
        });
        out.more = from.json().truth_or_false("more");
    });
}

std::string signed_text(const IntentHeader& header) {
    json::object out{
        {"epoch", header.epoch},
        {"seq", header.seq},
        {"parent", header.parent},
        {"content", header.content},
        {"author", header.author},
        {"operator", header.operator_},
        {"reason", header.reason},
        {"min_reader", header.min_reader},
        {"bytes", header.bytes},
    };
    return "twinsite gslb intent 1\n" + json::serialize(out);
}

}  // namespace twinsite::wire::group
