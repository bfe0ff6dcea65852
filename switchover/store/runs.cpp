// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/runs.hpp"

#include <cstdio>
#include <set>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::switchover::store {
namespace {

constexpr const char* kRun = "run/";
constexpr const char* kActive = "run-active/";
constexpr const char* kNumber = "run-number";
constexpr const char* kSource = "source/";

RunRecord to_run(Entry entry, bool active) {
    RunRecord out;
    out.id = entry.key.substr(std::char_traits<char>::length(kRun));
    out.active = active;
    out.body = std::move(entry.value);
    out.changed = entry.changed;
    return out;
}

Result<std::set<std::string>> active_ids(Store& store) {
    const auto marks = store.list({.prefix = kActive});
    if (!marks) return marks.error();
    std::set<std::string> out;
    for (const auto& mark : *marks)
        out.insert(mark.key.substr(std::char_traits<char>::length(kActive)));
    return out;
}

}  // namespace

std::string run_id(std::uint64_t generation, std::uint64_t number) {
    char text[48];
    std::snprintf(
        text,
        sizeof text,
        "r%02llu-%06llu",
        static_cast<unsigned long long>(generation),
        static_cast<unsigned long long>(number)
    );
    return text;
}

Result<std::uint64_t> last_run_number(Store& store) {
    const auto entry = store.find(kNumber);
    if (!entry) return entry.error();
    if (!*entry) return std::uint64_t{0};
    const auto number = base::text::parse_number<std::uint64_t>((*entry)->value);
    if (!number) return Errc::damaged;
    return *number;
}

void save_run(Transaction& transaction, const RunRecord& run) {
    transaction.compares.push_back({kRun + run.id, run.changed});
    transaction.writes.push_back({kRun + run.id, run.body});
    if (run.active)
        transaction.writes.push_back({kActive + run.id, ""});
    else
        transaction.writes.push_back({kActive + run.id, std::nullopt});
}

void save_new_run(
    Transaction& transaction,
    const RunRecord& run,
    std::uint64_t number,
    const std::string& hash,
    const std::string& source
) {
    save_run(transaction, run);
    transaction.writes.push_back({kNumber, std::to_string(number)});
    transaction.writes.push_back({kSource + hash, source});
}

Result<std::optional<RunRecord>> load_run(Store& store, const std::string& id) {
    auto entry = store.find(kRun + id);
    if (!entry) return entry.error();
    if (!*entry) return std::optional<RunRecord>();
    const auto active = store.find(kActive + id);
    if (!active) return active.error();
    return std::optional(to_run(std::move(**entry), active->has_value()));
}

Result<std::optional<std::string>> load_source(Store& store, const std::string& hash) {
    auto entry = store.find(kSource + hash);
    if (!entry) return entry.error();
    if (!*entry) return std::optional<std::string>();
    return std::optional(std::move((*entry)->value));
}

Result<std::vector<RunRecord>> active_runs(Store& store) {
    const auto ids = active_ids(store);
    if (!ids) return ids.error();
    std::vector<RunRecord> out;
    for (const auto& id : *ids) {
        auto run = load_run(store, id);
        if (!run) return run.error();
        if (!*run) return Errc::damaged;
        out.push_back(std::move(**run));
    }
    return out;
}

Result<std::vector<RunRecord>> list_runs(
    Store& store, std::size_t limit, const std::string& before
) {
    const auto after = before.empty() ? std::string() : kRun + before;
    auto entries =
        store.list({.prefix = kRun, .after = after, .limit = limit, .newest_first = true});
    if (!entries) return entries.error();
    const auto active = active_ids(store);
    if (!active) return active.error();
    std::vector<RunRecord> out;
    for (auto& entry : *entries) {
        const auto id = entry.key.substr(std::char_traits<char>::length(kRun));
        out.push_back(to_run(std::move(entry), active->contains(id)));
    }
    return out;
}

}  // namespace twinsite::switchover::store
