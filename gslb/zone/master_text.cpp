// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/master_text.hpp"

#include <istream>

namespace twinsite::gslb::zone {

namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) {
    return kBlanks.find(c) != std::string_view::npos;
}

/// The first problem of an entry is the one to show.
void set_problem(MasterEntry& entry, std::string text) {
    if (entry.problem.empty()) entry.problem = std::move(text);
}

}  // namespace

bool MasterReader::next(MasterEntry& entry) {
    entry = {};
    depth_ = 0;
    entry_bytes_ = 0;
    while (std::getline(in_, line_)) {
        ++line_number_;
        if (depth_ == 0) {
            entry.line = line_number_;
            entry.begins_blank = !line_.empty() && is_blank(line_.front());
        }
        read_line(entry, line_);
        entry_bytes_ += line_.size();
        if (entry_bytes_ > kMaxEntryBytes) {
            set_problem(entry, "an entry of more than 1 MiB; is a ')' missing?");
            entry.words.clear();
            return true;
        }
        if (depth_ == 0 && (!entry.words.empty() || !entry.problem.empty())) return true;
    }
    if (depth_ == 0) return false;
    set_problem(entry, "the '(' in line " + std::to_string(opened_in_line_) + " is never closed");
    return true;
}

void MasterReader::read_line(MasterEntry& entry, std::string_view line) {
    if (line.find('\0') != std::string_view::npos) set_problem(entry, "a NUL byte in the text");
    std::size_t at = 0;
    while (at < line.size() && line[at] != ';') {
        const char c = line[at];
        if (is_blank(c)) {
            ++at;
        } else if (c == '(' || c == ')') {
            parenthesis(entry, c);
            ++at;
        } else {
            at = read_word(entry, line, at);
        }
    }
}

void MasterReader::parenthesis(MasterEntry& entry, char which) {
    if (which == '(') {
        if (depth_++ == 0) opened_in_line_ = line_number_;
    } else if (depth_ == 0) {
        set_problem(entry, "a ')' without '('");
    } else {
        --depth_;
    }
}

std::size_t MasterReader::read_word(MasterEntry& entry, std::string_view line, std::size_t at) {
    const std::size_t begin = at;
    bool quoted = false;
    for (; at < line.size(); ++at) {
        const char c = line[at];
        if (c == '\\') {
            if (++at == line.size()) set_problem(entry, "a '\\' at the end of the line");
        } else if (c == '"' && quoted) {
            quoted = false;
            // "a""b" are two strings; key="a" goes on.
            if (line[begin] == '"') {
                ++at;
                break;
            }
        } else if (c == '"') {
            if (at != begin && line[at - 1] != '=')
                set_problem(entry, "a quote in the middle of a word");
            quoted = true;
        } else if (!quoted && (is_blank(c) || c == ';' || c == '(' || c == ')')) {
            break;
        }
    }
    if (quoted) set_problem(entry, "a quote that is not closed in its line");
    at = std::min(at, line.size());
    entry.words.emplace_back(line.substr(begin, at - begin));
    return at;
}

std::optional<std::uint32_t> parse_ttl(std::string_view text) {
    constexpr std::uint64_t kMost = 2'147'483'647;
    std::uint64_t total = 0;
    std::uint64_t number = 0;
    bool digits = false;
    bool units = false;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            number = number * 10 + static_cast<std::uint64_t>(c - '0');
            digits = true;
        } else {
            std::uint64_t unit = 0;
            switch (c | 0x20) {
                case 's':
                    unit = 1;
                    break;
                case 'm':
                    unit = 60;
                    break;
                case 'h':
                    unit = 3600;
                    break;
                case 'd':
                    unit = 86'400;
                    break;
                case 'w':
                    unit = 604'800;
                    break;
                default:
                    return std::nullopt;
            }
            if (!digits) return std::nullopt;
            total += number * unit;
            number = 0;
            digits = false;
            units = true;
        }
        if (number > kMost || total > kMost) return std::nullopt;
    }
    // "1h30" is a slip more often than half a minute.
    if (digits == units) return std::nullopt;
    total += number;
    return static_cast<std::uint32_t>(total);
}

}  // namespace twinsite::gslb::zone
