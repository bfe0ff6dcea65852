// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text/ip.hpp"
#include "base/text/text.hpp"

/// Configuration files: YAML read through a cursor that knows where it stands, so that no check
/// can forget to name file, line, column and key (style: every finding is reported, none throws).
namespace twinsite::base::config {

/// One thing wrong with a configuration. Lines and columns count from 1; 0 = the whole file.
struct Finding {
    std::string file;
    int line = 0;
    int column = 0;
    std::string path;  ///< for example "$.listen[1].port"; empty for a file that is not YAML
    std::string text;
};
/// "gslb.yaml:4:11: $.listen[1].port: must be between 1 and 65535, not 0"
std::string to_string(const Finding& finding);

/// How a scalar becomes a T: `parse` gives nullopt for anything invalid, `kExpected` completes the
/// sentence "must be ...". Specialise it beside the type (base/net does for Endpoint).
template <class T, class = void>
struct Scalar;

class Cursor;

/// A configuration file being read. Owns the findings; cursors may outlive it, but must not be
/// used from two threads.
class Document {
public:
    /// Reads and parses; a missing file or broken YAML is a finding, and `root` is then empty.
    static Document load(const std::string& file);
    static Document parse(const std::string& text, const std::string& name_of_file);

    Cursor root() const;
    const std::vector<Finding>& findings() const;
    /// Every key asked for so far, as "$.checks[].interval": the reference page is tested with it.
    const std::set<std::string>& asked() const;

private:
    friend class Cursor;
    struct State;
    explicit Document(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

/// A place in a Document. Reading a value that is missing or wrong records a finding and gives a
/// default, so that a parser reads straight down and all findings come out at once.
class Cursor {
public:
    /// False at a place that is absent from the file.
    bool exists() const;
    bool is_map() const;
    bool is_sequence() const;
    const std::string& path() const;
    /// Folder of the file, for relative paths in it; "." when the file has none.
    std::string folder() const;

    /// The value under `key`; a missing key is a finding.
    Cursor child(std::string_view key);
    /// The value under `key`, if it is there.
    std::optional<Cursor> find(std::string_view key);
    /// Items of a sequence. Anything else is a finding and gives none.
    std::vector<Cursor> items();
    /// Keys and values of a map, in the file's order, all counted as asked for.
    std::vector<std::pair<std::string, Cursor>> entries();

    template <class T>
    T required(std::string_view key) {
        return child(key).value<T>();
    }
    template <class T>
    T optional(std::string_view key, T fallback) {
        auto at = find(key);
        return at ? at->value_or(std::move(fallback)) : fallback;
    }
    /// Numbers and durations with bounds, both inclusive.
    template <class T>
    T in_range(
        std::string_view key, std::type_identity_t<T> low, std::type_identity_t<T> high, T fallback
    ) {
        auto at = find(key);
        if (!at) return fallback;
        const T value = at->value_or(fallback);
        if (value >= low && value <= high) return value;
        at->error(
            "must be between " + Scalar<T>::show(low) + " and " + Scalar<T>::show(high) + ", not " +
            Scalar<T>::show(value)
        );
        return fallback;
    }
    /// The scalar here; wrong or absent gives T{}.
    template <class T>
    T value() {
        return value_or(T{});
    }
    template <class T>
    T value_or(T fallback) {
        const auto text = scalar();
        if (!text) {
            if (exists()) wrong_type(Scalar<T>::kExpected);
            return fallback;
        }
        auto parsed = Scalar<T>::parse(*text);
        if (parsed) return std::move(*parsed);
        wrong_value(Scalar<T>::kExpected, *text);
        return fallback;
    }
    /// One of `words`, for enumerations; gives its index. Suggests the nearest word.
    std::size_t one_of(
        std::string_view key, const std::vector<std::string>& words, std::size_t fallback
    );

    /// Records a finding at this place.
    void error(const std::string& text) const;
    /// "unknown `what` 'name'; did you mean ...?" at this place.
    void unknown(
        std::string_view what, std::string_view name, const std::vector<std::string>& known
    ) const;
    /// Call when all keys of a map were asked for: any other key, or one given twice, is a finding.
    void finish() const;

private:
    friend class Document;
    struct Place;
    explicit Cursor(std::shared_ptr<Place> place) : place_(std::move(place)) {}
    std::optional<std::string> scalar() const;
    void wrong_type(std::string_view expected) const;
    void wrong_value(std::string_view expected, const std::string& text) const;
    Cursor step(std::string_view key);

    std::shared_ptr<Place> place_;
};

template <>
struct Scalar<std::string> {
    static constexpr const char* kExpected = "a text";
    static std::optional<std::string> parse(const std::string& text) { return text; }
};
template <>
struct Scalar<bool> {
    static constexpr const char* kExpected = "true or false";
    static std::optional<bool> parse(std::string_view text) {
        if (text == "true") return true;
        if (text == "false") return false;
        return std::nullopt;
    }
};
template <class T>
struct Scalar<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static constexpr const char* kExpected = sizeof(T) == 1   ? "a whole number from 0 to 255"
                                             : sizeof(T) == 2 ? "a whole number from 0 to 65535"
                                                              : "a whole number";
    static std::optional<T> parse(std::string_view text) { return text::parse_number<T>(text); }
    static std::string show(T value) { return std::to_string(value); }
};
template <>
struct Scalar<double> {
    static constexpr const char* kExpected = "a number";
    static std::optional<double> parse(std::string_view text) { return text::parse_double(text); }
    static std::string show(double value) {
        auto out = std::to_string(value);
        out.erase(out.find_last_not_of('0') + 1);
        if (out.back() == '.') out.pop_back();
        return out;
    }
};
template <>
struct Scalar<std::chrono::milliseconds> {
    static constexpr const char* kExpected = "a duration with its unit, for example 500ms, 10s, 5m";
    static std::optional<std::chrono::milliseconds> parse(std::string_view text) {
        return text::parse_duration(text);
    }
    static std::string show(std::chrono::milliseconds value) {
        return text::format_duration(value);
    }
};
template <>
struct Scalar<text::IpAddress> {
    static constexpr const char* kExpected = "an IPv4 or IPv6 address";
    static std::optional<text::IpAddress> parse(std::string_view text) {
        return text::parse_ip(text);
    }
};
template <>
struct Scalar<text::IpPrefix> {
    static constexpr const char* kExpected =
        "a network such as 10.1.0.0/16 with no bits set beyond its length";
    static std::optional<text::IpPrefix> parse(std::string_view text) {
        return text::parse_prefix(text);
    }
};

}  // namespace twinsite::base::config
