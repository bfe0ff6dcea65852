// SPDX-License-Identifier: Apache-2.0
// The only file that knows libmaxminddb.
#include "gslb/steering/geo_database.hpp"

#include <map>
#include <optional>
#include <unordered_map>

#include <maxminddb.h>

namespace twinsite::gslb::steering {
namespace {

using base::text::Family;
using base::text::IpAddress;

constexpr std::uint32_t kUnmatched = 0xffffffff;
constexpr std::uint32_t kMixed = 0xfffffffe;

/// The file, open while it is walked.
class Database {
public:
    explicit Database(const std::string& file)
        : status_(MMDB_open(file.c_str(), MMDB_MODE_MMAP, &mmdb_)) {}
    ~Database() {
        if (status_ == MMDB_SUCCESS) MMDB_close(&mmdb_);
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    int status() const { return status_; }
    const MMDB_s& operator*() const { return mmdb_; }
    const MMDB_s* operator->() const { return &mmdb_; }

private:
    MMDB_s mmdb_{};
    int status_;
};

/// One value of a record; nothing when it is missing or of another type.
template <class... Path>
std::optional<MMDB_entry_data_s> find_value(MMDB_entry_s entry, Path... path) {
    MMDB_entry_data_s out{};
    const char* const keys[] = {path..., nullptr};
    if (MMDB_aget_value(&entry, &out, keys) != MMDB_SUCCESS || !out.has_data) return std::nullopt;
    return out;
}

std::string text_of(const std::optional<MMDB_entry_data_s>& value) {
    if (!value || value->type != MMDB_DATA_TYPE_UTF8_STRING) return "";
    return {value->utf8_string, value->data_size};
}

std::optional<double> degrees_of(const std::optional<MMDB_entry_data_s>& value) {
    if (!value || value->type != MMDB_DATA_TYPE_DOUBLE) return std::nullopt;
    return value->double_value;
}

GeoPlace read_place(const MMDB_entry_s& entry) {
    GeoPlace out;
    out.continent = text_of(find_value(entry, "continent", "code"));
    out.country = text_of(find_value(entry, "country", "iso_code"));
    out.subdivision = text_of(find_value(entry, "subdivisions", "0", "iso_code"));
    out.city = text_of(find_value(entry, "city", "names", "en"));
    const auto asn = find_value(entry, "autonomous_system_number");
    if (asn && asn->type == MMDB_DATA_TYPE_UINT32) out.asn = asn->uint32;
    const auto latitude = degrees_of(find_value(entry, "location", "latitude"));
    const auto longitude = degrees_of(find_value(entry, "location", "longitude"));
    if (latitude && longitude) out.coordinates = Coordinates{*latitude, *longitude};
    return out;
}

/// One walk over the tree, from the leaves up: a node whose halves agree is one block.
class Walk {
public:
    Walk(const Database& database, const GeoRules& rules) : database_(database), rules_(rules) {
        // A sound tree has one path to a node; each family's part is walked once.
        budget_ = std::uint64_t{database->metadata.node_count} * 2 + 1024;
    }

    LoadedGeo run() {
        const bool both = database_->metadata.ip_version == 6;
        Record root{MMDB_RECORD_TYPE_SEARCH_NODE, 0, {}};
        if (both) {
            v4_root_ = database_->ipv4_start_node.node_value;
            root.value = v4_root_;
            if (v4_root_ >= database_->metadata.node_count) root.type = MMDB_RECORD_TYPE_EMPTY;
        }
        walk_family(Family::v4, root);
        skip_v4_ = both && v4_root_ != 0;
        if (both) walk_family(Family::v6, {MMDB_RECORD_TYPE_SEARCH_NODE, 0, {}});
        return std::move(out_);
    }

private:
    struct Record {
        std::uint8_t type = MMDB_RECORD_TYPE_INVALID;
        std::uint64_t value = 0;
        MMDB_entry_s entry{};
    };

    void walk_family(Family family, const Record& root) {
        at_ = IpAddress{family, {}};
        emit(walk(root, 0), 0);
    }

    /// The list of the whole block, or kMixed when its parts were emitted.
    std::uint32_t walk(const Record& record, unsigned depth) {
        if (!out_.problem.empty() || record.type == MMDB_RECORD_TYPE_EMPTY) return kUnmatched;
        if (record.type == MMDB_RECORD_TYPE_DATA) return list_of(record.entry);
        if (record.type != MMDB_RECORD_TYPE_SEARCH_NODE) return fail("has a record without sense");
        if (skip_v4_ && record.value == v4_root_) return kUnmatched;
        if (depth >= at_.bits() || budget_-- == 0) return fail("has a search tree with a loop");
        MMDB_search_node_s node{};
        const auto place = static_cast<std::uint32_t>(record.value);
        if (MMDB_read_node(&*database_, place, &node) != MMDB_SUCCESS)
            return fail("has a node that cannot be read");
        return walk_halves(node, depth);
    }

    std::uint32_t walk_halves(const MMDB_search_node_s& node, unsigned depth) {
        const auto left =
            walk({node.left_record_type, node.left_record, node.left_record_entry}, depth + 1);
        set_bit(depth, true);
        const auto right =
            walk({node.right_record_type, node.right_record, node.right_record_entry}, depth + 1);
        set_bit(depth, false);
        if (left == right) return left;
        emit(left, depth + 1);
        set_bit(depth, true);
        emit(right, depth + 1);
        set_bit(depth, false);
        return kMixed;
    }

    void set_bit(unsigned depth, bool value) {
        const auto mask = static_cast<std::uint8_t>(0x80U >> depth % 8);
        std::uint8_t& byte = at_.bytes[depth / 8];
        byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
    }

    void emit(std::uint32_t list, unsigned depth) {
        if (list == kMixed || list == kUnmatched) return;
        out_.layer.items.push_back({{at_, static_cast<std::uint8_t>(depth)}, list});
    }

    std::uint32_t list_of(const MMDB_entry_s& entry) {
        const auto known = lists_.find(entry.offset);
        if (known != lists_.end()) return known->second;
        const SiteOrder sites = rules_.sites_of(read_place(entry));
        const std::uint32_t out = sites.empty() ? kUnmatched : number_of(sites);
        lists_.emplace(entry.offset, out);
        return out;
    }

    std::uint32_t number_of(const SiteOrder& sites) {
        const auto next = static_cast<std::uint32_t>(out_.layer.lists.size());
        const auto [known, fresh] = numbers_.emplace(sites, next);
        if (fresh) out_.layer.lists.push_back(sites);
        return known->second;
    }

    std::uint32_t fail(const char* what) {
        if (out_.problem.empty()) out_.problem = what;
        return kUnmatched;
    }

    const Database& database_;
    const GeoRules& rules_;
    std::uint64_t v4_root_ = 0;
    bool skip_v4_ = false;
    std::uint64_t budget_ = 0;
    IpAddress at_;
    std::unordered_map<std::uint32_t, std::uint32_t> lists_;  // by offset of the record
    std::map<SiteOrder, std::uint32_t> numbers_;              // of the layer's lists
    LoadedGeo out_;
};

}  // namespace

LoadedGeo load_geo(const std::string& file, const GeoRules& rules) {
    const Database database(file);
    LoadedGeo out;
    if (database.status() != MMDB_SUCCESS) {
        out.problem = std::string("cannot be read: ") + MMDB_strerror(database.status());
        return out;
    }
    const unsigned version = database->metadata.ip_version;
    if (version != 4 && version != 6) {
        out.problem = "is of no known IP version";
        return out;
    }
    out = Walk(database, rules).run();
    if (!out.problem.empty()) out.layer = {};
    return out;
}

}  // namespace twinsite::gslb::steering
