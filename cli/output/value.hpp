// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boost::json {
class value;
}

/// Looking into an answer of a daemon without trusting its shape: what is not there, or is of
/// another kind, is empty text or an empty list.
namespace twinsite::cli::output {

/// An answer's body as a value; null when it is no JSON.
boost::json::value parse_body(const std::string& body);
/// The member `key` of an object; a null value when there is none. Lives as long as `object`.
const boost::json::value& member(const boost::json::value& object, std::string_view key);
/// The elements of a list; none for anything else. They live as long as `list`.
std::vector<const boost::json::value*> elements(const boost::json::value& list);
/// A scalar as people read it; "" for null; a list is its elements joined by ", ".
std::string to_text(const boost::json::value& scalar);
/// to_text of a member.
std::string text_at(const boost::json::value& object, std::string_view key);
/// Every scalar below `value` with its dotted path, in the order of the document.
std::vector<std::pair<std::string, std::string>> flatten(const boost::json::value& value);

/// "12s", "3m 20s", "2h 05m", "4d 03h": rounded down, for people.
std::string spell_seconds(long long seconds);

}  // namespace twinsite::cli::output
