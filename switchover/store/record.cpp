// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/record.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace twinsite::switchover::store {

Result<void> read_record(
    const std::string& text, const std::function<void(wire::contract::JsonObject&)>& read
) {
    boost::system::error_code failure;
    const auto value = boost::json::parse(text, failure);
    if (failure) return Errc::damaged;
    wire::contract::JsonObject object(value);
    read(object);
    if (object.failure()) return Errc::damaged;
    return {};
}

void put_record(Transaction& transaction, std::string key, const boost::json::object& record) {
    transaction.writes.push_back({std::move(key), boost::json::serialize(record)});
}

}  // namespace twinsite::switchover::store
