// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinsite::gslb::zone {

/// One entry of a master file: a line, or several joined by parentheses; comments are gone.
struct MasterEntry {
    int line = 0;                    ///< where it begins, from 1
    bool begins_blank = false;       ///< its line begins with a blank: the owner is the last one
    std::vector<std::string> words;  ///< as written: escapes and quotes are kept
    std::string problem;             ///< not empty: the text itself is broken
};

/// Cuts a master file into entries (RFC 1035 section 5.1).
class MasterReader {
public:
    /// Beyond this an open parenthesis is taken for a slip.
    static constexpr std::size_t kMaxEntryBytes = 1 << 20;

    /// `in` outlives this.
    explicit MasterReader(std::istream& in) : in_(in) {}

    /// The next entry with at least one word or a problem; false at the end of the file.
    bool next(MasterEntry& entry);

private:
    void read_line(MasterEntry& entry, std::string_view line);
    std::size_t read_word(MasterEntry& entry, std::string_view line, std::size_t at);
    void parenthesis(MasterEntry& entry, char which);

    std::istream& in_;
    std::string line_;
    int line_number_ = 0;
    int depth_ = 0;           // of parentheses
    int opened_in_line_ = 0;  // the outermost one
    std::size_t entry_bytes_ = 0;
};

/// A TTL or period: "3600", "1h30m", "2W"; at most 2147483647 s (RFC 2181 section 8).
std::optional<std::uint32_t> parse_ttl(std::string_view text);

}  // namespace twinsite::gslb::zone
