// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/intent.hpp"

#include <boost/json/object.hpp>

#include "base/crypto/digest.hpp"
#include "switchover/store/record.hpp"

namespace twinsite::switchover::store {
namespace {

using wire::contract::JsonObject;

constexpr const char* kWanted = "wanted/";
constexpr const char* kPause = "pause";
constexpr const char* kMode = "mode/";
constexpr const char* kLastEnd = "last-end/";
constexpr const char* kAnswered = "answered/";
constexpr const char* kAnswer = "answer/";
constexpr std::size_t kLongest = 4096;

std::string wanted_key(const std::string& receiver, const std::string& object) {
    return kWanted + receiver + " " + object;
}

/// Keys of callers are of any length and bytes.
std::string answer_key(const std::string& key) {
    return kAnswer + base::crypto::sha256_hex(key);
}

WantedState read_wanted(JsonObject& from) {
    WantedState out;
    out.receiver = from.text("receiver", kLongest);
    out.object = from.text("object", kLongest);
    out.state = from.text("state", kLongest);
    out.reason = from.text("reason", kLongest);
    out.by = from.text("by", kLongest);
    out.since_wall_ms = from.signed_or_zero("since_wall_ms");
    if (from.find("former_state") == nullptr) return out;
    FormerWanted former;
    former.state = from.text("former_state", kLongest);
    former.reason = from.text("former_reason", kLongest);
    former.by = from.text("former_by", kLongest);
    former.since_wall_ms = from.signed_or_zero("former_since_wall_ms");
    out.former = std::move(former);
    return out;
}

Pause read_pause(JsonObject& from) {
    Pause out;
    out.by = from.text("by", kLongest);
    out.reason = from.text("reason", kLongest);
    out.since_wall_ms = from.signed_or_zero("since_wall_ms");
    if (from.find("until_wall_ms") != nullptr)
        out.until_wall_ms = from.signed_or_zero("until_wall_ms");
    return out;
}

ModeSetting read_mode(JsonObject& from) {
    ModeSetting out;
    out.mode = from.text("mode", kLongest);
    out.by = from.text("by", kLongest);
    out.reason = from.text("reason", kLongest);
    out.since_wall_ms = from.signed_or_zero("since_wall_ms");
    return out;
}

std::int64_t read_wall(JsonObject& from) {
    return from.signed_or_zero("wall_ms");
}

Answer read_answer(JsonObject& from) {
    Answer out;
    out.run = from.text("run", kLongest);
    out.digest = from.text("digest", kLongest);
    out.wall_ms = from.signed_or_zero("wall_ms");
    return out;
}

template <class Record>
std::map<std::string, Record> map_of(std::vector<std::pair<std::string, Record>> records) {
    std::map<std::string, Record> out;
    for (auto& [name, record] : records) out.emplace(std::move(name), std::move(record));
    return out;
}

}  // namespace

Result<std::vector<WantedState>> wanted_states(Store& store) {
    auto records = list_records<WantedState>(store, kWanted, read_wanted);
    if (!records) return records.error();
    std::vector<WantedState> out;
    for (auto& [key, wanted] : *records) out.push_back(std::move(wanted));
    return out;
}

void save_wanted(Transaction& transaction, const WantedState& wanted) {
    boost::json::object record{
        {"receiver", wanted.receiver},
        {"object", wanted.object},
        {"state", wanted.state},
        {"reason", wanted.reason},
        {"by", wanted.by},
        {"since_wall_ms", wanted.since_wall_ms},
    };
    if (const auto& former = wanted.former) {
        record["former_state"] = former->state;
        record["former_reason"] = former->reason;
        record["former_by"] = former->by;
        record["former_since_wall_ms"] = former->since_wall_ms;
    }
    put_record(transaction, wanted_key(wanted.receiver, wanted.object), record);
}

void remove_wanted(
    Transaction& transaction, const std::string& receiver, const std::string& object
) {
    transaction.writes.push_back({wanted_key(receiver, object), std::nullopt});
}

Result<std::optional<Pause>> find_pause(Store& store) {
    return find_record<Pause>(store, kPause, read_pause);
}

void save_pause(Transaction& transaction, const std::optional<Pause>& pause) {
    if (!pause) {
        transaction.writes.push_back({kPause, std::nullopt});
        return;
    }
    boost::json::object record{
        {"by", pause->by}, {"reason", pause->reason}, {"since_wall_ms", pause->since_wall_ms}
    };
    if (pause->until_wall_ms) record["until_wall_ms"] = *pause->until_wall_ms;
    put_record(transaction, kPause, record);
}

Result<std::map<std::string, ModeSetting>> modes(Store& store) {
    auto records = list_records<ModeSetting>(store, kMode, read_mode);
    if (!records) return records.error();
    return map_of(std::move(*records));
}

void save_mode(
    Transaction& transaction, const std::string& scenario, const std::optional<ModeSetting>& mode
) {
    if (!mode) {
        transaction.writes.push_back({kMode + scenario, std::nullopt});
        return;
    }
    put_record(
        transaction,
        kMode + scenario,
        {{"mode", mode->mode},
         {"by", mode->by},
         {"reason", mode->reason},
         {"since_wall_ms", mode->since_wall_ms}}
    );
}

Result<std::map<std::string, std::int64_t>> last_ends(Store& store) {
    auto records = list_records<std::int64_t>(store, kLastEnd, read_wall);
    if (!records) return records.error();
    return map_of(std::move(*records));
}

void save_last_end(Transaction& transaction, const std::string& scenario, std::int64_t wall_ms) {
    put_record(transaction, kLastEnd + scenario, {{"wall_ms", wall_ms}});
}

Result<std::map<std::string, std::string>> answered_triggers(Store& store) {
    const auto read = [](JsonObject& from) { return from.text("run", kLongest); };
    auto records = list_records<std::string>(store, kAnswered, read);
    if (!records) return records.error();
    return map_of(std::move(*records));
}

void save_answered(
    Transaction& transaction, const std::string& scenario, const std::optional<std::string>& run
) {
    if (run)
        put_record(transaction, kAnswered + scenario, {{"run", *run}});
    else
        transaction.writes.push_back({kAnswered + scenario, std::nullopt});
}

Result<std::optional<Answer>> find_answer(Store& store, const std::string& key) {
    return find_record<Answer>(store, answer_key(key), read_answer);
}

void save_answer(Transaction& transaction, const std::string& key, const Answer& answer) {
    put_record(
        transaction,
        answer_key(key),
        {{"run", answer.run}, {"digest", answer.digest}, {"wall_ms", answer.wall_ms}}
    );
}

Result<void> forget_answers(Store& store, Transaction& transaction, std::int64_t before_wall_ms) {
    const auto records = list_records<Answer>(store, kAnswer, read_answer);
    if (!records) return records.error();
    for (const auto& [name, answer] : *records)
        if (answer.wall_ms < before_wall_ms)
            transaction.writes.push_back({kAnswer + name, std::nullopt});
    return {};
}

}  // namespace twinsite::switchover::store
