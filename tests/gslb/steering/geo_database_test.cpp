// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/geo_database.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "gslb/steering/prefix_map.hpp"
#include "tests/gslb/steering/mmdb_writer.hpp"

namespace twinsite::gslb::steering {
namespace {

using base::text::parse_ip;
using base::text::parse_prefix;
using Writer = tests::MmdbWriter;

std::string place(const std::string& continent, const std::string& country) {
    return Writer::map(
        {Writer::text("continent"),
         Writer::map({Writer::text("code"), Writer::text(continent)}),
         Writer::text("country"),
         Writer::map({Writer::text("iso_code"), Writer::text(country)})}
    );
}

std::string position(double latitude, double longitude) {
    return Writer::map(
        {Writer::text("location"),
         Writer::map(
             {Writer::text("latitude"),
              Writer::real(latitude),
              Writer::text("longitude"),
              Writer::real(longitude)}
         )}
    );
}

class GeoDatabase : public testing::Test {
protected:
    ~GeoDatabase() override { std::filesystem::remove(path_); }

    LoadedGeo load(const std::string& bytes, const GeoRules& rules) {
        std::ofstream(path_, std::ios::binary) << bytes;
        return load_geo(path_, rules);
    }
    PrefixMap map_of(const LoadedGeo& geo) {
        EXPECT_EQ(geo.problem, "");
        PrefixLayers layers;
        layers.geo = geo.layer;
        const SiteOrder order{0, 1, 2};
        return {layers, {&order, 1}};
    }
    SiteOrder sites(const PrefixMap& map, const char* client) {
        return map.classes()[map.find(*parse_ip(client)).class_id];
    }

    std::string path_ = std::filesystem::temp_directory_path() /
                        ("geo_database_test." + std::to_string(::getpid()) + ".mmdb");
};

GeoRules rules() {
    GeoRules out;
    out.rules.push_back({"EU", "", "", "", 0, {1}});
    out.rules.push_back({"", "DE", "", "", 0, {2, 1}});
    return out;
}

TEST_F(GeoDatabase, CountriesStandAboveContinents) {
    Writer writer(6);
    writer.add(*parse_prefix("10.0.0.0/8"), place("EU", "FR"));
    writer.add(*parse_prefix("10.16.0.0/12"), place("EU", "DE"));
    writer.add(*parse_prefix("11.0.0.0/8"), place("AS", "CN"));
    writer.add(*parse_prefix("2001:db8::/32"), place("EU", "DE"));
    const auto map = map_of(load(writer.file(), rules()));
    EXPECT_EQ(sites(map, "10.1.2.3"), (SiteOrder{1}));
    EXPECT_EQ(sites(map, "10.17.2.3"), (SiteOrder{2, 1}));
    EXPECT_EQ(sites(map, "11.1.2.3"), SiteOrder{});
    EXPECT_EQ(sites(map, "2001:db8:1::1"), (SiteOrder{2, 1}));
    EXPECT_EQ(sites(map, "2001:db9::1"), SiteOrder{});
}

TEST_F(GeoDatabase, NeighboursOfOneListAreOneBlockAndTheScope) {
    Writer writer(4);
    for (const char* country : {"FR", "IT"})
        writer.add(
            *parse_prefix(country == std::string("FR") ? "10.0.0.0/9" : "10.128.0.0/9"),
            place("EU", country)
        );
    const auto geo = load(writer.file(), rules());
    ASSERT_EQ(geo.layer.items.size(), 1u);
    EXPECT_EQ(to_string(geo.layer.items[0].prefix), "10.0.0.0/8");
    EXPECT_EQ(map_of(geo).find(*parse_ip("10.200.0.1")).depth, 8);
}

TEST_F(GeoDatabase, AliasesOfTheIpv4TreeAreLeftOut) {
    Writer writer(6);
    writer.add(*parse_prefix("10.0.0.0/8"), place("EU", "DE"));
    base::text::IpPrefix mapped;
    mapped.address.family = base::text::Family::v6;
    mapped.address.bytes[10] = mapped.address.bytes[11] = 0xff;
    mapped.length = 96;
    writer.alias_v4(mapped);
    writer.alias_v4(*parse_prefix("2002::/16"));
    const auto geo = load(writer.file(), rules());
    ASSERT_EQ(geo.layer.items.size(), 1u);
    EXPECT_EQ(to_string(geo.layer.items[0].prefix), "10.0.0.0/8");
}

TEST_F(GeoDatabase, DistanceDecidesWhereNoRuleDoes) {
    GeoRules distance;
    distance.sites = {{0, {52.5, 13.4}}, {1, {48.9, 2.4}}, {2, {35.7, 139.7}}};
    distance.nearest = 2;
    Writer writer(4);
    writer.add(*parse_prefix("10.0.0.0/8"), position(50.1, 8.7));    // Frankfurt
    writer.add(*parse_prefix("11.0.0.0/8"), position(51.5, -0.1));   // London
    writer.add(*parse_prefix("12.0.0.0/8"), position(37.6, 127.0));  // Seoul
    writer.add(*parse_prefix("13.0.0.0/8"), Writer::map({}));        // no coordinates
    const auto map = map_of(load(writer.file(), distance));
    EXPECT_EQ(sites(map, "10.0.0.1"), SiteOrder{}) << "0 and 1 are the default order";
    EXPECT_EQ(sites(map, "11.0.0.1"), (SiteOrder{1, 0}));
    EXPECT_EQ(sites(map, "12.0.0.1")[0], 2);
    EXPECT_EQ(sites(map, "13.0.0.1"), SiteOrder{});
}

TEST_F(GeoDatabase, OwnersOfNetworksAreKnownByNumber) {
    GeoRules owners;
    owners.rules.push_back({"", "", "", "", 64500, {2}});
    Writer writer(4);
    writer.add(
        *parse_prefix("10.0.0.0/8"),
        Writer::map({Writer::text("autonomous_system_number"), Writer::number(64500)})
    );
    writer.add(
        *parse_prefix("11.0.0.0/8"),
        Writer::map({Writer::text("autonomous_system_number"), Writer::number(64501)})
    );
    const auto map = map_of(load(writer.file(), owners));
    EXPECT_EQ(sites(map, "10.0.0.1"), (SiteOrder{2}));
    EXPECT_EQ(sites(map, "11.0.0.1"), SiteOrder{});
}

TEST_F(GeoDatabase, DamagedFilesGiveAProblemAndNothingElse) {
    Writer writer(6);
    writer.add(*parse_prefix("10.0.0.0/8"), place("EU", "DE"));
    writer.add(*parse_prefix("2001:db8::/32"), place("EU", "FR"));
    const std::string good = writer.file();
    EXPECT_NE(load("", rules()).problem, "");
    EXPECT_NE(load("no database", rules()).problem, "");
    EXPECT_NE(load_geo("/nowhere/geo.mmdb", rules()).problem, "");
    Writer four(4);
    four.add(*parse_prefix("10.0.0.0/8"), place("EU", "DE"));
    std::string loop = four.file();
    // The root leads to node 1, and that to itself; 0 would be no sensible record at all.
    for (std::size_t i = 0; i < 16; ++i) loop[i] = i % 4 == 3 ? '\1' : '\0';
    EXPECT_EQ(load(loop, rules()).problem, "has a search tree with a loop");
    EXPECT_TRUE(load(loop, rules()).layer.empty());
    for (std::size_t cut = 0; cut < good.size(); cut += 7) load(good.substr(0, cut), rules());
    for (std::size_t at = 0; at < good.size(); at += 3) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0xff);
        load(bad, rules());  // it may be read or not, but it must come back
    }
}

TEST(GeoRules, TheRuleThatNamesMostDecides) {
    GeoRules out;
    out.rules.push_back({"EU", "", "", "", 0, {0}});
    out.rules.push_back({"", "DE", "BY", "", 0, {1}});
    out.rules.push_back({"", "DE", "", "Ulm", 0, {2}});
    out.rules.push_back({"", "", "", "", 64500, {3}});
    EXPECT_EQ(out.sites_of({"EU", "DE", "BW", "Bonn", 0, {}}), (SiteOrder{0}));
    EXPECT_EQ(out.sites_of({"EU", "DE", "BY", "Ulm", 0, {}}), (SiteOrder{2}));
    EXPECT_EQ(out.sites_of({"EU", "DE", "BY", "Bonn", 0, {}}), (SiteOrder{1}));
    EXPECT_EQ(out.sites_of({"EU", "DE", "BY", "Ulm", 64500, {}}), (SiteOrder{3}));
    EXPECT_EQ(out.sites_of({"", "US", "", "", 0, {}}), SiteOrder{});
}

TEST(GeoRules, BiasMakesASiteSeemNearerOrFarther) {
    const Coordinates berlin{52.5, 13.4};
    const Coordinates paris{48.9, 2.4};
    EXPECT_NEAR(distance_km(berlin, paris), 878, 10);
    EXPECT_EQ(distance_km(berlin, berlin), 0);
    GeoRules out;
    out.nearest = 1;
    out.sites = {{0, berlin}, {1, paris}};
    const GeoPlace place{"", "", "", "", 0, Coordinates{50.1, 8.7}};  // 424 and 479 km
    EXPECT_EQ(out.sites_of(place), (SiteOrder{0}));
    out.sites[1].bias = 30;
    EXPECT_EQ(out.sites_of(place), (SiteOrder{1}));
    out.sites[0].bias = 50;
    EXPECT_EQ(out.sites_of(place), (SiteOrder{0}));
    out.sites[0].bias = -50;
    out.sites[1].bias = 0;
    EXPECT_EQ(out.sites_of(place), (SiteOrder{1}));
}

}  // namespace
}  // namespace twinsite::gslb::steering
