// SPDX-License-Identifier: Apache-2.0
// The architecture as a table. A room includes itself, the rooms listed before it in its own
// component, and `probe`, `wire`, `base` by the rules below; nothing else. A change of the table
// comes with a decision record in the same commit.
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.hpp"

namespace twinsite::architecture {
namespace {

using Names = std::vector<std::string>;

// Component -> its rooms, each allowed to see those before it.
const std::map<std::string, Names> kRooms = {
    {"base",
     {"error",
      "text",
      "file",
      "log",
      "metrics",
      "config",
      "async",
      "net",
      "crypto",
      "http",
      "daemon"}},
    {"wire", {"dns", "diameter", "contract"}},
    {"probe", {}},
    {"gslb", {"zone", "steering", "answer", "server", "health", "group", "control"}},
    {"slb", {"session", "balance", "route", "proxy", "sync", "pair", "control"}},
    {"monitor", {"collect", "spool", "report", "action", "agent", "site"}},
    {"switchover", {"model", "judge", "scenario", "store", "fleet", "execute", "lead", "api"}},
    {"cli", {}},
    {"tools", {}},
};

// Programs for people and for tests: they may also see the pure rooms of the daemons.
const Names kClients = {"cli", "tools"};
const std::map<std::string, Names> kPureRooms = {
    {"gslb", {"zone", "steering", "answer"}},
    {"slb", {"session", "balance", "route"}},
    {"monitor", {"spool"}},
    {"switchover", {"model", "judge", "scenario"}},
};

// Third parties and the only rooms that know them.
const std::map<std::string, Names> kThirdParties = {
    {"ldns/", {"gslb/zone"}},
    {"ares.h", {"base/net"}},
    {"yaml-cpp/", {"base/config"}},
    {"spdlog/", {"base/log"}},
    {"boost/beast", {"base/http"}},
    {"sqlite3.h", {"switchover/store"}},
    {"sql.h", {"monitor/collect"}},
    {"openssl/", {"base/crypto", "base/http"}},
};

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_room(const std::map<std::string, Names>& table, const Place& place) {
    const auto rooms = table.find(place.component);
    return rooms != table.end() && contains(rooms->second, place.room);
}

bool allowed_inside_component(const Place& from, const Place& to) {
    if (from.room.empty() || from.room == to.room) return true;
    const auto& order = kRooms.at(from.component);
    const auto self = std::find(order.begin(), order.end(), from.room);
    // A client component has no table of rooms: its folders are free among themselves.
    if (self == order.end()) return contains(kClients, from.component);
    return std::find(order.begin(), self, to.room) != self;
}

bool allowed(const Place& from, const Place& to) {
    if (from.component == "base" && to.component != "base") return false;
    if (from.component == "wire") {
        if (to.component == "wire") return from.room == to.room;
        return to.component == "base" && (to.room == "error" || to.room == "text");
    }
    if (from.component == to.component) return allowed_inside_component(from, to);
    if (to.component == "base" || to.component == "wire") return true;
    if (to.component == "probe") return from.component != "probe";
    return contains(kClients, from.component) && has_room(kPureRooms, to);
}

Names components() {
    Names out;
    for (const auto& [component, rooms] : kRooms) out.push_back(component);
    return out;
}

std::string where(const SourceFile& file, const Line& line) {
    return file.path + ":" + std::to_string(line.number) + ": " + line.text;
}

TEST(Architecture, IncludesPointDownwards) {
    for (const auto& file : read_sources(components())) {
        const auto from = place_of(file.path);
        for (const auto& line : file.lines) {
            bool quoted = false;
            const auto path = included_path(line, quoted);
            if (path.empty() || !quoted) continue;
            EXPECT_TRUE(allowed(from, place_of(path))) << where(file, line);
        }
    }
}

TEST(Architecture, OurHeadersAreNamedByTheirFullPath) {
    for (const auto& file : read_sources(components()))
        for (const auto& line : file.lines) {
            bool quoted = false;
            const auto path = included_path(line, quoted);
            if (path.empty() || !quoted) continue;
            EXPECT_TRUE(kRooms.contains(place_of(path).component)) << where(file, line);
        }
}

TEST(Architecture, EveryRoomIsInTheTable) {
    for (const auto& file :
         read_sources({"base", "wire", "gslb", "slb", "monitor", "switchover"})) {
        const auto place = place_of(file.path);
        if (place.room.empty()) continue;
        EXPECT_TRUE(has_room(kRooms, place)) << file.path << " is in a room nobody listed";
    }
}

TEST(Architecture, ThirdPartiesStayInTheirRooms) {
    for (const auto& file : read_sources(components())) {
        const auto place = place_of(file.path);
        for (const auto& line : file.lines) {
            bool quoted = false;
            const auto path = included_path(line, quoted);
            for (const auto& [prefix, rooms] : kThirdParties)
                if (path.starts_with(prefix))
                    EXPECT_TRUE(contains(rooms, place.component + "/" + place.room))
                        << where(file, line);
        }
    }
}

TEST(Architecture, HeavyHeadersAreNotUsed) {
    for (const auto& file : read_sources(components()))
        for (const auto& line : file.lines) {
            bool quoted = false;
            const auto path = included_path(line, quoted);
            EXPECT_NE(path, "boost/asio.hpp") << where(file, line);
            EXPECT_NE(path, "boost/beast.hpp") << where(file, line);
            if (file.path.ends_with(".hpp")) {
                EXPECT_TRUE(!path.starts_with("boost/json") || path == "boost/json/fwd.hpp")
                    << where(file, line);
                EXPECT_FALSE(path.starts_with("boost/beast")) << where(file, line);
            }
        }
}

TEST(Architecture, TheTableRefusesWhatPointsUpwards) {
    EXPECT_FALSE(allowed(place_of("base/text/ip.hpp"), place_of("base/log/log.hpp")));
    EXPECT_FALSE(allowed(place_of("base/log/log.cpp"), place_of("wire/dns/name.hpp")));
    EXPECT_FALSE(allowed(place_of("wire/dns/name.cpp"), place_of("base/net/endpoint.hpp")));
    EXPECT_FALSE(allowed(place_of("wire/dns/name.cpp"), place_of("wire/diameter/avp.hpp")));
    EXPECT_FALSE(allowed(place_of("gslb/zone/tree.cpp"), place_of("gslb/answer/answer.hpp")));
    EXPECT_FALSE(allowed(place_of("gslb/zone/tree.cpp"), place_of("gslb/app.hpp")));
    EXPECT_FALSE(allowed(place_of("gslb/app.cpp"), place_of("slb/app.hpp")));
    EXPECT_FALSE(allowed(place_of("cli/main.cpp"), place_of("slb/proxy/relay.hpp")));
    EXPECT_TRUE(allowed(place_of("gslb/answer/answer.cpp"), place_of("gslb/zone/tree.hpp")));
    EXPECT_TRUE(allowed(place_of("gslb/app.cpp"), place_of("gslb/control/api.hpp")));
    EXPECT_TRUE(allowed(place_of("cli/demo/x.cpp"), place_of("gslb/steering/decide.hpp")));
    EXPECT_TRUE(allowed(place_of("slb/proxy/relay.cpp"), place_of("wire/diameter/avp.hpp")));
}

}  // namespace
}  // namespace twinsite::architecture
