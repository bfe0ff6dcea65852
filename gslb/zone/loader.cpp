// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/loader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <sys/stat.h>

#include "base/text/text.hpp"
#include "gslb/zone/master_text.hpp"
#include "gslb/zone/rdata_text.hpp"
#include "gslb/zone/zone_checks.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

namespace type = wire::dns::type;
using base::text::equals_ignoring_case;
using wire::dns::Name;
using Words = std::span<const std::string>;

constexpr std::uint16_t kNsec3 = 50;
constexpr std::uint16_t kNsec3Param = 51;
constexpr std::uint16_t kSignature = 24;  // SIG, the ancestor of RRSIG
constexpr std::uint16_t kNext = 30;       // NXT, the ancestor of NSEC
constexpr std::array<std::uint16_t, 7> kSigned{
    type::rrsig, type::nsec, type::dnskey, kNsec3, kNsec3Param, kSignature, kNext
};

std::string shown(std::string_view word) {
    return "'" + base::text::printable(word.substr(0, 80)) + "'";
}

/// Whether the text ends in a dot that is not escaped.
bool is_absolute(std::string_view text) {
    if (!text.ends_with('.')) return false;
    const auto before = text.find_last_not_of('\\', text.size() - 2);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    return (text.size() - 1 - first) % 2 == 0;
}

/// "IN", "CH", "CLASS3", ...
bool is_class(std::string_view word) {
    for (const std::string_view known : {"IN", "CH", "HS", "CS", "NONE", "ANY"})
        if (equals_ignoring_case(word, known)) return true;
    return word.size() > 5 && equals_ignoring_case(word.substr(0, 5), "CLASS") &&
           base::text::parse_number<std::uint32_t>(word.substr(5)).has_value();
}

bool is_class_in(std::string_view word) {
    return equals_ignoring_case(word, "IN") || equals_ignoring_case(word, "CLASS1");
}

/// Reads one file entry by entry; owned by one call of load_master().
class Loader {
public:
    Loader(const std::string& file, const Name& origin)
        : findings_(file), zone_origin_(origin), origin_(origin), rdata_(origin) {}

    Loaded load(std::istream& in) {
        MasterReader reader(in);
        MasterEntry entry;
        while (!findings_.is_full() && reader.next(entry)) take_entry(entry);
        if (in.bad()) findings_.error(0, "cannot be read to its end");
        Loaded out;
        if (!findings_.is_full()) {
            ZoneData zone = assemble(zone_origin_, std::move(records_), failed_, findings_);
            if (findings_.error_count() == 0) out.zone = std::move(zone);
        }
        out.findings = std::move(findings_).take();
        return out;
    }

private:
    void take_entry(const MasterEntry& entry) {
        std::string problem = entry.problem;
        if (problem.empty()) {
            const Words words(entry.words);
            problem = !entry.begins_blank && words[0].starts_with('$') ? take_directive(words)
                                                                       : take_record(entry, words);
        }
        if (!problem.empty()) findings_.error(entry.line, std::move(problem));
    }

    std::string take_directive(Words words) {
        const std::string& name = words[0];
        if (equals_ignoring_case(name, "$INCLUDE"))
            return "$INCLUDE is not supported: put the records into this file";
        if (equals_ignoring_case(name, "$GENERATE"))
            return "$GENERATE is not supported: write the records out";
        const bool is_ttl = equals_ignoring_case(name, "$TTL");
        if (!is_ttl && !equals_ignoring_case(name, "$ORIGIN"))
            return "unknown directive " + shown(name);
        if (words.size() != 2) return name + " takes one value";
        if (is_ttl) {
            default_ttl_ = parse_ttl(words[1]);
            return default_ttl_ ? "" : shown(words[1]) + " is not a TTL of 0..2147483647 s";
        }
        std::string problem;
        const Name origin = parse_owner(words[1], problem);
        if (!problem.empty()) return problem;
        origin_ = origin;
        rdata_.set_origin(origin);
        return "";
    }

    /// An owner or origin as written; relative ones end in the current origin.
    Name parse_owner(const std::string& word, std::string& problem) const {
        if (word == "@") return origin_;
        if (word.starts_with('"')) {
            problem = "a name in quotes: " + shown(word);
            return {};
        }
        auto name = wire::dns::parse_name(word);
        if (name && !is_absolute(word)) name = name->joined_to(origin_);
        if (name) return *name;
        problem = shown(word) + " is not a name: " + name.error().message();
        return {};
    }

    /// What stands between owner and rdata.
    struct Head {
        std::optional<std::uint32_t> ttl;
        bool has_class = false;
        std::string problem;
    };

    /// TTL and class, in either order and each optional (RFC 1035 section 5.1). Moves `words`
    /// behind them.
    static Head take_head(Words& words) {
        Head out;
        for (; !words.empty(); words = words.subspan(1)) {
            const std::string& word = words[0];
            if (!out.has_class && is_class(word)) {
                if (!is_class_in(word)) out.problem = "class " + word + "; only IN is served";
                out.has_class = true;
            } else if (!out.ttl && word[0] >= '0' && word[0] <= '9') {
                out.ttl = parse_ttl(word);
                if (!out.ttl) out.problem = shown(word) + " is not a TTL of 0..2147483647 s";
            } else {
                break;
            }
            if (!out.problem.empty()) break;
        }
        return out;
    }

    std::string take_record(const MasterEntry& entry, Words words) {
        std::string problem = take_owner(entry, words);
        if (!problem.empty()) return problem;
        Head head = take_head(words);
        if (!head.problem.empty()) return head.problem;
        if (words.empty()) return "a record without a type";

        const std::uint16_t rr_type = parse_rr_type(words[0]);
        problem = type_problem(rr_type, words[0]);
        if (problem.empty()) problem = add_record(rr_type, words.subspan(1), head.ttl, entry.line);
        if (!problem.empty() && *owner_ == zone_origin_) failed_.push_back(rr_type);
        return problem;
    }

    std::string add_record(
        std::uint16_t rr_type, Words words, std::optional<std::uint32_t> own_ttl, int line
    ) {
        if (!owner_->is_at_or_below(zone_origin_))
            return owner_->to_string() + " is not in the zone " + zone_origin_.to_string();
        if (rr_type == type::soa && *owner_ != zone_origin_)
            return "a SOA at " + owner_->to_string() + ", which is not the apex";

        if (own_ttl) last_ttl_ = own_ttl;
        Record record{*owner_, rr_type, 0, {}, line};
        std::string problem;
        record.rdata = rdata_.parse(rr_type, words, problem);
        if (!problem.empty()) return problem;
        const auto ttl = ttl_of(own_ttl, record);
        if (!ttl) return "no TTL: neither the record nor $TTL nor a record before has one";
        record.ttl = *ttl;
        records_.push_back(std::move(record));
        return "";
    }

    /// Sets owner_ and moves `words` behind it.
    std::string take_owner(const MasterEntry& entry, Words& words) {
        if (entry.begins_blank) return owner_ ? "" : "the first record has no owner";
        std::string problem;
        const Name name = parse_owner(words[0], problem);
        // After a bad owner the lines without one would go to the owner before: to none instead.
        owner_.reset();
        if (problem.empty()) owner_ = name;
        words = words.subspan(1);
        return problem;
    }

    static std::string type_problem(std::uint16_t rr_type, const std::string& word) {
        if (rr_type == 0) return "unknown type " + shown(word);
        if (type::is_meta(rr_type)) return "type " + word + " is for questions, not for zones";
        if (std::find(kSigned.begin(), kSigned.end(), rr_type) != kSigned.end())
            return "type " + rr_type_name(rr_type) +
                   ": signed zones are not supported yet; load the unsigned zone";
        return "";
    }

    /// RFC 2308 section 4: the record's own, else $TTL; else, by old custom, that of the record
    /// before, and for a SOA its minimum.
    std::optional<std::uint32_t> ttl_of(std::optional<std::uint32_t> own, const Record& record) {
        if (own) return own;
        if (default_ttl_) return default_ttl_;
        if (!last_ttl_ && record.type == type::soa) {
            const std::uint8_t* const at = record.rdata.data() + record.rdata.size() - 4;
            last_ttl_ = std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 |
                        std::uint32_t{at[2]} << 8 | at[3];
            findings_.warning(record.line, "no TTL: that of negative answers is taken");
        }
        return last_ttl_;
    }

    FindingList findings_;
    const Name& zone_origin_;
    std::vector<Record> records_;
    std::vector<std::uint16_t> failed_;  // types of records at the apex that had an error
    // what the entries so far have set
    Name origin_;
    std::optional<Name> owner_;
    std::optional<std::uint32_t> default_ttl_;
    std::optional<std::uint32_t> last_ttl_;
    RdataParser rdata_;
};

}  // namespace

std::string to_string(const Finding& finding) {
    std::string out = finding.file + ":";
    if (finding.line > 0) out += std::to_string(finding.line) + ":";
    out += finding.severity == Finding::Severity::warning ? " warning: " : " ";
    return out + finding.text;
}

Loaded load_master(std::istream& in, const std::string& file, const Name& origin) {
    return Loader(file, origin).load(in);
}

Loaded load_master_file(const std::string& path, const Name& origin) {
    const auto failed = [&path](int code) {
        Loaded out;
        out.findings.push_back({path, 0, std::string("cannot be read: ") + std::strerror(code)});
        return out;
    };
    std::ifstream in(path, std::ios::binary);
    if (!in) return failed(errno);
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return failed(EISDIR);
    return load_master(in, path, origin);
}

}  // namespace twinsite::gslb::zone
