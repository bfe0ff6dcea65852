// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/intent_book.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "base/crypto/digest.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {
namespace {

namespace json = boost::json;
using wire::group::IntentHeader;
using wire::group::IntentVersion;

json::object version_json(const IntentVersion& version) {
    return {{"epoch", version.epoch}, {"seq", version.seq}, {"hash", version.hash}};
}

std::optional<std::string> text_in(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return json::value_to<std::string>(*value);
}

std::optional<std::uint64_t> number_in(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_uint64()) return value->get_uint64();
    if (value->is_int64() && value->get_int64() >= 0)
        return static_cast<std::uint64_t>(value->get_int64());
    return std::nullopt;
}

bool read_version(const json::object& from, IntentVersion& out) {
    const auto epoch = number_in(from, "epoch");
    const auto seq = number_in(from, "seq");
    auto hash = text_in(from, "hash");
    if (!epoch || !seq || !hash || *epoch == 0 || *seq == 0 || hash->size() != 64) return false;
    out = {*epoch, *seq, *std::move(hash)};
    return true;
}

bool read_known(const json::value& value, KnownVersion& out) {
    const auto* from = value.if_object();
    if (from == nullptr || !read_version(*from, out.version)) return false;
    auto parent = text_in(*from, "parent");
    auto author = text_in(*from, "author");
    if (!parent || !author) return false;
    out.parent = *std::move(parent);
    out.author = *std::move(author);
    return true;
}

bool read_fork(const json::value& value, Fork& out) {
    const auto* from = value.if_object();
    if (from == nullptr || !read_version(*from, out.version)) return false;
    auto author = text_in(*from, "author");
    auto why = text_in(*from, "why");
    if (!author || !why) return false;
    out.author = *std::move(author);
    out.why = *std::move(why);
    return true;
}

template <class Entry, class Read>
bool read_all(const json::object& from, std::string_view key, std::vector<Entry>& out, Read read) {
    const auto* list = from.if_contains(key);
    if (list == nullptr || !list->is_array()) return false;
    for (const auto& value : list->get_array())
        if (!read(value, out.emplace_back())) return false;
    return true;
}

}  // namespace

const char* to_string(Standing standing) {
    switch (standing) {
        case Standing::same:
            return "same";
        case Standing::newer:
            return "newer";
        case Standing::older:
            return "older";
        case Standing::forked:
            return "forked";
        case Standing::too_new:
            break;
    }
    return "too_new";
}

IntentVersion version_of(const IntentHeader& header) {
    return {header.epoch, header.seq, base::crypto::sha256_hex(signed_text(header))};
}

IntentVersion IntentBook::current() const {
    return known_.empty() ? IntentVersion{} : known_.back().version;
}

std::string IntentBook::author() const {
    return known_.empty() ? std::string() : known_.back().author;
}

bool IntentBook::knows(const std::string& hash) const {
    return std::any_of(known_.begin(), known_.end(), [&](const KnownVersion& each) {
        return each.version.hash == hash;
    });
}

Standing IntentBook::judge(const IntentVersion& version) const {
    const auto now = current();
    if (version == now) return Standing::same;
    if (now.before(version)) return Standing::newer;
    // Before the first that we remember nothing can be said; {0,0} has no intent at all.
    if (version.epoch == 0 || version.before(known_.front().version)) return Standing::older;
    return knows(version.hash) ? Standing::older : Standing::forked;
}

Standing IntentBook::judge(const IntentHeader& header) const {
    if (header.min_reader > wire::group::kReaderVersion) return Standing::too_new;
    const auto version = version_of(header);
    const auto standing = judge(version);
    if (standing != Standing::newer || known_.empty()) return standing;
    const auto now = current();
    if (version.epoch != now.epoch) return Standing::newer;
    // Within an epoch there is one author and one line.
    if (header.author != author()) return Standing::forked;
    const bool next = version.seq == now.seq + 1;
    return next && header.parent != now.hash ? Standing::forked : Standing::newer;
}

std::variant<IntentHeader, std::string> IntentBook::next(const std::string& node, bool take_over)
    const {
    IntentHeader out;
    out.author = node;
    out.epoch = 1;
    out.seq = 1;
    if (known_.empty()) return out;
    const auto now = current();
    out.parent = now.hash;
    out.epoch = now.epoch;
    out.seq = now.seq + 1;
    if (author() == node) return out;
    if (!take_over)
        return "the author of epoch " + std::to_string(now.epoch) + " is " + author() +
               "; publish there, or take the authorship over";
    out.epoch = now.epoch + 1;
    out.seq = 1;
    return out;
}

void IntentBook::adopt(const IntentHeader& header) {
    const auto before = known_.empty() ? std::optional<KnownVersion>() : known_.back();
    // Its parent is one that we had before the last: what we published since is left behind.
    const bool left_behind =
        before && header.parent != before->version.hash && knows(header.parent);
    forks_.clear();
    if (left_behind)
        forks_.push_back(
            {before->version,
             before->author,
             "it was in force here until " + header.author + " published epoch " +
                 std::to_string(header.epoch) + " without it"}
        );
    known_.push_back({version_of(header), header.parent, header.author});
    if (known_.size() > kMostKnown) known_.erase(known_.begin());
}

void IntentBook::fall_back_to(const IntentVersion& version) {
    while (!known_.empty() && known_.back().version != version) known_.pop_back();
}

bool IntentBook::note_fork(const IntentHeader& header) {
    const auto version = version_of(header);
    const bool noted = std::any_of(forks_.begin(), forks_.end(), [&](const Fork& each) {
        return each.version == version;
    });
    if (noted) return false;
    if (forks_.size() == kMostForks) forks_.erase(forks_.begin());
    const auto now = current();
    forks_.push_back(
        {version,
         header.author,
         header.author + " published it without knowing of " + std::to_string(now.epoch) + "." +
             std::to_string(now.seq) + " by " + author()}
    );
    return true;
}

std::string IntentBook::to_json_text() const {
    json::array known;
    for (const auto& each : known_) {
        auto object = version_json(each.version);
        object["parent"] = each.parent;
        object["author"] = each.author;
        known.push_back(std::move(object));
    }
    json::array forks;
    for (const auto& each : forks_) {
        auto object = version_json(each.version);
        object["author"] = each.author;
        object["why"] = each.why;
        forks.push_back(std::move(object));
    }
    return json::serialize(json::object{{"version", 1}, {"known", known}, {"forks", forks}}) + "\n";
}

base::Result<IntentBook> IntentBook::from_json_text(std::string_view text) {
    base::Error failure;
    const auto root = json::parse(text, failure);
    const auto* from = failure ? nullptr : root.if_object();
    if (from == nullptr) return Errc::bad_book;
    if (number_in(*from, "version") != std::uint64_t{1}) return Errc::bad_book;
    IntentBook out;
    if (!read_all(*from, "known", out.known_, read_known) ||
        !read_all(*from, "forks", out.forks_, read_fork))
        return Errc::bad_book;
    const auto out_of_order = [](const KnownVersion& a, const KnownVersion& b) {
        return !a.version.before(b.version);
    };
    if (std::adjacent_find(out.known_.begin(), out.known_.end(), out_of_order) != out.known_.end())
        return Errc::bad_book;
    return out;
}

}  // namespace twinsite::gslb::group
