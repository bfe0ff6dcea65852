// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/identity.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::wire::contract {
namespace {

TEST(Identity, IsReadAndWritten) {
    const auto identity = parse_identity("twinsite://east/agent/if-1");
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->site, "east");
    EXPECT_EQ(identity->role, "agent");
    EXPECT_EQ(identity->name, "if-1");
    EXPECT_EQ(to_uri(*identity), "twinsite://east/agent/if-1");
}

TEST(Identity, AnythingElseIsNone) {
    for (const char* uri :
         {"",
          "twinsite://",
          "twinsite://east",
          "twinsite://east/agent",
          "twinsite://east/agent/",
          "twinsite://east/agent/if1/x",
          "twinsite://east/root/if1",
          "twinsite:///agent/if1",
          "twinsite://east/agent/IF1",
          "twinsite://east/agent/if 1",
          "twinsite://east/agent/../x",
          "http://east/agent/if1",
          " twinsite://east/agent/if1",
          "twinsite://east/agent/if1\n"})
        EXPECT_FALSE(parse_identity(uri)) << uri;
    const std::string longest(63, 'a');
    EXPECT_TRUE(parse_identity("twinsite://east/agent/" + longest));
    EXPECT_FALSE(parse_identity("twinsite://east/agent/" + longest + "a"));
    EXPECT_FALSE(parse_identity(std::string("twinsite://east/agent/a\0b", 25)));
}

TEST(Identity, AHostIdNamesAnAgent) {
    EXPECT_EQ(host_id("east", "if1"), "east/if1");
    EXPECT_EQ(agent_of("east/if1"), (Identity{"east", "agent", "if1"}));
    for (const char* id : {"", "east", "east/", "/if1", "east/if1/x", "East/if1"})
        EXPECT_FALSE(agent_of(id)) << id;
}

}  // namespace
}  // namespace twinsite::wire::contract
