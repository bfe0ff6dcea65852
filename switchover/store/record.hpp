// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "switchover/store/store.hpp"
#include "wire/contract/json_object.hpp"

/// How records become values of the store: JSON objects. Only .cpp files of the room include it.
namespace twinsite::switchover::store {

/// Gives the members of `text` to `read`; damaged when it is no object, or one is missing.
Result<void> read_record(
    const std::string& text, const std::function<void(wire::contract::JsonObject&)>& read
);
void put_record(Transaction& transaction, std::string key, const boost::json::object& record);

/// Reads `entry`'s value by `read`, which takes the members down; damaged when one is not there.
template <class Record>
Result<Record> decode_record(
    const Entry& entry, const std::function<Record(wire::contract::JsonObject&)>& read
) {
    Record record{};
    const auto done = read_record(entry.value, [&](wire::contract::JsonObject& object) {
        record = read(object);
    });
    if (!done) return done.error();
    return record;
}

template <class Record>
Result<std::optional<Record>> find_record(
    Store& store,
    const std::string& key,
    const std::function<Record(wire::contract::JsonObject&)>& read
) {
    const auto entry = store.find(key);
    if (!entry) return entry.error();
    if (!*entry) return std::optional<Record>();
    auto record = decode_record<Record>(**entry, read);
    if (!record) return record.error();
    return std::optional<Record>(std::move(*record));
}

/// All under `prefix`, with the rest of their keys.
template <class Record>
Result<std::vector<std::pair<std::string, Record>>> list_records(
    Store& store,
    const std::string& prefix,
    const std::function<Record(wire::contract::JsonObject&)>& read
) {
    const auto entries = store.list({.prefix = prefix});
    if (!entries) return entries.error();
    std::vector<std::pair<std::string, Record>> out;
    for (const auto& entry : *entries) {
        auto record = decode_record<Record>(entry, read);
        if (!record) return record.error();
        out.emplace_back(entry.key.substr(prefix.size()), std::move(*record));
    }
    return out;
}

}  // namespace twinsite::switchover::store
