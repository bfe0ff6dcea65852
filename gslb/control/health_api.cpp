// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/health_api.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "base/text/ip.hpp"
#include "base/text/text.hpp"
#include "gslb/control/json.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::problem;
using base::http::Request;
using base::http::Response;
using health::State;
using std::chrono::milliseconds;

constexpr std::size_t kLongestText_bytes = 255;
constexpr std::size_t kMostItems = 10'000;
constexpr std::int64_t kLongest_ms = std::int64_t{7} * 86'400'000;

double to_ms(std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
}
json::value to_ms(const std::optional<milliseconds>& time) {
    return time ? json::value(time->count()) : json::value(nullptr);
}

/// Reads the members of one object; remembers the first thing that is wrong.
class Reader {
public:
    explicit Reader(const json::object& from) : from_(from) {}

    const std::string& problem() const { return problem_; }
    bool has(std::string_view key) const { return from_.contains(key); }

    std::string text(std::string_view key, bool needed = true) {
        const auto* value = find(key, needed);
        if (value == nullptr) return {};
        const auto* text = value->if_string();
        if (text == nullptr || (needed && text->empty()) || text->size() > kLongestText_bytes)
            fail(key, "must be a text of 1 to 255 bytes");
        return text == nullptr ? std::string() : std::string(*text);
    }
    std::int64_t number(
        std::string_view key, std::int64_t high, std::optional<std::int64_t> fallback
    ) {
        const auto* value = find(key, !fallback);
        if (value == nullptr) return fallback.value_or(0);
        const auto* number = value->if_int64();
        if (number == nullptr || *number < 0 || *number > high) {
            fail(key, "must be a whole number from 0 to " + std::to_string(high));
            return 0;
        }
        return *number;
    }
    double real(std::string_view key) {
        const auto* value = find(key, false);
        if (value == nullptr) return 0;
        const bool good = value->is_number();
        const double out = good ? value->to_number<double>() : -1;
        if (out >= 0 && out <= 3'600'000) return out;
        fail(key, "must be a number from 0 to 3600000");
        return 0;
    }
    State state(std::string_view key) {
        const auto word = text(key);
        for (const auto state : {State::unknown, State::up, State::down})
            if (word == health::to_string(state)) return state;
        fail(key, "must be up, down or unknown");
        return State::unknown;
    }
    void only(std::initializer_list<std::string_view> known) {
        for (const auto& member : from_)
            if (std::find(known.begin(), known.end(), std::string_view(member.key())) ==
                known.end())
                fail(member.key(), "is not known here");
    }
    void fail(std::string_view key, const std::string& what) {
        if (problem_.empty())
            problem_ = "'" + base::text::printable(std::string(key)) + "' " + what;
    }

private:
    const json::value* find(std::string_view key, bool needed) {
        const auto* value = from_.if_contains(key);
        if (value == nullptr && needed) fail(key, "is missing");
        return value;
    }
    const json::object& from_;
    std::string problem_;
};

/// The list under `key` of a body, each item read by `read(Reader&)`. What is wrong, or "".
template <class Read>
std::string read_list(const std::string& body, const char* key, Read read) {
    base::Error failure;
    const auto parsed = json::parse(body, failure);
    const auto* object = failure ? nullptr : parsed.if_object();
    const auto* value = object != nullptr ? object->if_contains(key) : nullptr;
    const auto* list = value != nullptr ? value->if_array() : nullptr;
    if (list == nullptr || object->size() != 1)
        return std::string("the body must be an object with nothing but a list '") + key + "'";
    if (list->size() > kMostItems) return "too many items: at most 10000 at a time";
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto where = std::string(key) + "[" + std::to_string(i) + "]: ";
        const auto* item = (*list)[i].if_object();
        if (item == nullptr) return where + "must be an object";
        Reader reader(*item);
        read(reader);
        if (!reader.problem().empty()) return where + reader.problem();
    }
    return {};
}

Response malformed(const ApiSeams& seams, const Request& request, const std::string& detail) {
    note_refusal(seams.refusals, RefusalCause::malformed, request, detail);
    return problem(422, "Wrong request", detail);
}

/// A machine speaks for itself only, whatever name it gives.
std::string observer_of(const Request& request, std::string given) {
    const auto who = wire::contract::parse_identity(request.peer_identity);
    if (!who || who->role == "operator") return given;
    return wire::contract::host_id(who->site, who->name);
}

json::object word_to_json(const health::JudgedCheck::Word& word) {
    return {
        {"observer", word.observer},
        {"result", health::to_string(word.result)},
        {"age_ms", word.age.count()},
        {"rtt_ms", to_ms(word.rtt)},
        {"seq", word.seq},
        {"counts", word.fresh},
        {"own", word.own},
    };
}

json::array checks_to_json(const health::Observatory& health, const std::string& id) {
    const auto own = health.checks(id);
    const auto judged = health.judged(id);
    json::array out;
    for (std::size_t i = 0; i < judged.size() && i < own.size(); ++i) {
        json::array words;
        for (const auto& word : judged[i].words) words.push_back(word_to_json(word));
        out.push_back(json::object{
            {"check", judged[i].key},
            {"type", own[i].kind},
            {"state", health::to_string(judged[i].result)},
            {"jointly_known", health::to_string(judged[i].joint)},
            {"error", own[i].last_error},
            {"votes", std::move(words)},
        });
    }
    return out;
}

json::object rounds_to_json(const health::RoundView& rounds) {
    return {
        {"checks", rounds.checks},
        {"running", rounds.running},
        {"waiting", rounds.waiting},
        {"overdue", rounds.overdue},
        {"newest_age_ms", to_ms(rounds.newest)},
        {"oldest_age_ms", to_ms(rounds.oldest)},
    };
}

struct Told {
    std::string check;
    std::vector<base::text::IpAddress> addresses;
    health::Pushed pushed;
};

std::vector<base::text::IpAddress> addresses_of(
    const Helm& helm, std::string_view service, std::string_view target
) {
    for (const auto& one : helm.setup().steering->services) {
        if (one.name != service) continue;
        for (const auto& candidate : one.targets)
            if (candidate.name == target) return candidate.addresses;
    }
    return {};
}

Told read_told(const Helm& helm, Reader& reader) {
    reader.only({"check", "service", "target", "address", "state", "ttl_s", "age_ms", "cause"});
    Told out;
    out.check = reader.text("check");
    out.pushed.state = reader.state("state");
    out.pushed.ttl = milliseconds(reader.number("ttl_s", kLongest_ms / 1000, std::nullopt) * 1000);
    out.pushed.age = milliseconds(reader.number("age_ms", kLongest_ms, 0));
    out.pushed.cause = base::text::printable(reader.text("cause", false));
    if (reader.has("address")) {
        const auto address = base::text::parse_ip(reader.text("address"));
        if (address) out.addresses.push_back(*address);
        if (!address) reader.fail("address", "must be an IP address");
        return out;
    }
    const auto service = reader.text("service");
    const auto target = reader.text("target");
    out.addresses = addresses_of(helm, service, target);
    if (out.addresses.empty()) reader.fail("target", "is not a target of that service");
    return out;
}

health::Vote read_vote(const Request& request, Reader& reader) {
    reader.only({"observer", "target", "check", "seq", "result", "rtt_ms", "age_ms"});
    health::Vote out;
    out.observer = observer_of(request, reader.text("observer"));
    out.target = reader.text("target");
    out.check = reader.text("check");
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    out.seq = static_cast<std::uint64_t>(reader.number("seq", kMost, std::nullopt));
    out.result = reader.state("result");
    out.rtt = std::chrono::microseconds(std::llround(reader.real("rtt_ms") * 1000));
    out.age = milliseconds(reader.number("age_ms", kLongest_ms, 0));
    return out;
}

}  // namespace

Response show_health(const Helm& helm, const health::Observatory& health) {
    const auto& board = health.board();
    const auto& around = board.surroundings();
    json::array targets;
    for (const auto& service : helm.setup().steering->services)
        for (const auto& target : service.targets) {
            const auto id = target_id(service.name, target.name);
            const auto known = health.health(id);
            targets.push_back(json::object{
                {"target", id},
                {"state", health::to_string(known.state)},
                {"pending", known.pending},
                {"restored", known.restored},
                {"soonest_change_s",
                 known.soonest_change_s == health::Health::kNever
                     ? json::value(nullptr)
                     : json::value(known.soonest_change_s)},
                {"checks", checks_to_json(health, id)},
            });
        }
    return json_answer({
        {"rounds", rounds_to_json(health.rounds())},
        {"stance", health::to_string(board.stance())},
        {"own_link", health::to_string(around.own_link)},
        {"peer", health::to_string(around.peer)},
        {"witness", health::to_string(around.witness)},
        {"targets", std::move(targets)},
    });
}

Response show_votes(const health::Observatory& health) {
    json::array out;
    for (const auto& vote : health.own_votes())
        out.push_back(json::object{
            {"observer", vote.observer},
            {"target", vote.target},
            {"check", vote.check},
            {"seq", vote.seq},
            {"result", health::to_string(vote.result)},
            {"rtt_ms", to_ms(vote.rtt)},
            {"age_ms", vote.age.count()},
        });
    return json_answer({{"votes", std::move(out)}});
}

Response put_votes(health::Observatory& health, const ApiSeams& seams, const Request& request) {
    std::vector<health::Vote> votes;
    const auto wrong = read_list(request.body, "votes", [&](Reader& reader) {
        votes.push_back(read_vote(request, reader));
    });
    if (!wrong.empty()) return malformed(seams, request, wrong);
    std::size_t taken = 0;
    for (const auto& vote : votes) taken += health.take(vote) ? 1U : 0U;
    return json_answer({{"taken", taken}, {"old", votes.size() - taken}});
}

Response put_checks(
    const Helm& helm, health::Observatory& health, const ApiSeams& seams, const Request& request
) {
    std::vector<Told> all;
    const auto wrong = read_list(request.body, "checks", [&](Reader& reader) {
        all.push_back(read_told(helm, reader));
        for (const auto& address : all.back().addresses)
            if (reader.problem().empty() && !health.watches_push(all.back().check, address))
                reader.fail("check", "is not a check of type push of that target");
    });
    if (!wrong.empty()) return malformed(seams, request, wrong);
    for (const auto& told : all)
        for (const auto& address : told.addresses) health.push(told.check, address, told.pushed);
    return json_answer({{"taken", all.size()}});
}

}  // namespace twinsite::gslb::control
