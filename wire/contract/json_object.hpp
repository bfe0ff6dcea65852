// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/error/result.hpp"
#include "wire/contract/error.hpp"
#include "wire/contract/fence.hpp"

/// Reading and writing of JSON members for the codecs of this room; only .cpp files include it.
namespace twinsite::wire::contract {

/// The members of one object, read one by one. The first failure is kept and every read after it
/// gives an empty value, so that a decoder reads straight down and asks `failure` at the end.
class JsonObject {
public:
    explicit JsonObject(const boost::json::value& value);

    /// A text of at most `max_bytes`.
    std::string text(std::string_view name, std::size_t max_bytes);
    std::string text_or_empty(std::string_view name, std::size_t max_bytes);
    std::uint64_t number(std::string_view name);
    std::uint64_t number_or_zero(std::string_view name);
    std::int64_t signed_or_zero(std::string_view name);
    bool truth_or_false(std::string_view name);
    Fence fence_or_zero(std::string_view name);
    /// nullptr when absent; a value that is no array of at most `max_items` is a failure.
    const boost::json::array* list(std::string_view name, std::size_t max_items);
    /// nullptr when absent; a value that is no object is a failure.
    const boost::json::object* object(std::string_view name);
    const boost::json::value* find(std::string_view name) const;

    void fail(Errc failure) {
        if (!failure_) failure_ = failure;
    }
    const std::optional<Errc>& failure() const { return failure_; }

private:
    const boost::json::object* object_ = nullptr;
    std::optional<Errc> failure_;
};

/// Parses a whole message: an object with `"schema":1`, at most `max_bytes` long.
base::Result<boost::json::value> parse_message(std::string_view json, std::size_t max_bytes);

/// `text` as UTF-8 of at most `max_bytes`: cut at a whole character, wrong bytes become "?".
std::string clean_text(std::string_view text, std::size_t max_bytes);

}  // namespace twinsite::wire::contract
