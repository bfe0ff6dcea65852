// SPDX-License-Identifier: Apache-2.0
#include "switchover/store/record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace twinsite::switchover::store {

std::optional<boost::json::value> parse_record(const std::string& text) {
    boost::system::error_code failure;
    auto value = boost::json::parse(text, failure);
    if (failure) return std::nullopt;
    return value;
}

void put_record(Transaction& transaction, std::string key, const boost::json::object& record) {
    transaction.writes.push_back({std::move(key), boost::json::serialize(record)});
}

}  // namespace twinsite::switchover::store
