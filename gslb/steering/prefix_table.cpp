// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/prefix_table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text/text.hpp"

namespace twinsite::gslb::steering {

namespace {

/// "; did you mean 'east'?", or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> known) {
    const auto near = base::text::nearest(word, {known.begin(), known.end()});
    return near.empty() ? std::string() : "; did you mean '" + near.front() + "'?";
}

/// Reads the table line by line; owned by one call of parse_prefix_table().
class TableReader {
public:
    explicit TableReader(std::span<const std::string> sites) : sites_(sites) {}

    void read_line(int line, std::string_view text) {
        text = base::text::trim(text.substr(0, text.find('#')));
        if (text.empty()) return;
        std::string problem;
        auto entry = parse_entry(text, problem);
        if (problem.empty()) problem = repetition(entry, line);
        if (problem.empty()) {
            lists_.insert(entry.sites);
            if (lists_.size() >= PrefixMap::kMaxClasses) problem = "too many different site lists";
        }
        if (problem.empty()) {
            out_.entries.push_back(std::move(entry));
        } else if (out_.findings.size() < kMaxTableFindings) {
            out_.findings.push_back({line, std::move(problem)});
        }
    }

    PrefixTable take() { return std::move(out_); }

private:
    PrefixEntry parse_entry(std::string_view text, std::string& problem) const {
        PrefixEntry out;
        const auto words = base::text::words(text);
        const std::string shown = base::text::printable(words[0].substr(0, 60));
        const auto prefix = base::text::parse_prefix(words[0]);
        if (!prefix) {
            problem = "'" + shown + "' is not a network (address/length, no bits set beyond it)";
        } else if (words.size() == 1) {
            problem = "no site after " + shown;
        } else {
            out.prefix = *prefix;
            // Blanks around the commas are let through: "east, west".
            std::string list;
            for (std::size_t i = 1; i < words.size(); ++i) {
                const bool joined = list.empty() || list.back() == ',' || words[i].front() == ',';
                if (!joined) problem = "sites are separated by commas, not blanks";
                list += words[i];
            }
            if (problem.empty()) out.sites = parse_site_list(list, sites_, problem);
        }
        return out;
    }

    std::string repetition(const PrefixEntry& entry, int line) {
        const auto [known, fresh] = lines_.emplace(entry.prefix, line);
        if (fresh) return {};
        return to_string(entry.prefix) + " stands in line " + std::to_string(known->second) +
               " already";
    }

    std::span<const std::string> sites_;
    std::map<base::text::IpPrefix, int> lines_;
    std::set<SiteOrder> lists_;
    PrefixTable out_;
};

}  // namespace

SiteOrder parse_site_list(
    std::string_view text, std::span<const std::string> sites, std::string& problem
) {
    SiteOrder out;
    for (const std::string_view part : base::text::split(text, ',')) {
        const std::string_view name = base::text::trim(part);
        const auto found = std::find(sites.begin(), sites.end(), name);
        const std::string shown = "'" + base::text::printable(name.substr(0, 60)) + "'";
        if (name.empty()) {
            problem = "an empty site name";
        } else if (found == sites.end()) {
            problem = "unknown site " + shown + suggestion(name, sites);
        } else {
            const auto site = static_cast<SiteIndex>(found - sites.begin());
            if (std::find(out.begin(), out.end(), site) != out.end())
                problem = "site " + shown + " is listed twice";
            out.push_back(site);
        }
        if (!problem.empty()) return {};
    }
    return out;
}

PrefixTable parse_prefix_table(std::string_view text, std::span<const std::string> sites) {
    TableReader reader(sites);
    int line = 0;
    while (!text.empty()) {
        const auto end = text.find('\n');
        reader.read_line(++line, text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return reader.take();
}

}  // namespace twinsite::gslb::steering
