// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/desired.hpp"

#include <gtest/gtest.h>

namespace twinsite::wire::contract {
namespace {

std::string with_objects(const std::string& objects) {
    return R"({"fence":{"generation":1,"revision":7},"server":"s","objects":)" + objects + "}";
}
base::Error error_of(const std::string& text) {
    const auto read = decode_desired(text);
    return read ? base::Error() : read.error();
}

TEST(Desired, SurvivesItsOwnText) {
    const Desired desired{
        {1, 7},
        "twinsite://arbiter/switchover/sw",
        {{"site:east", "out", "run r1: \"lost\"", "2026-11-30T12:00:00Z"},
         {"target:ocs/ocs-east", "drain", "", ""}}
    };
    EXPECT_EQ(*decode_desired(encode(desired)), desired);
    EXPECT_EQ(*decode_desired(encode(Desired())), Desired());
}

TEST(Desired, UnknownMembersAreIgnored) {
    const auto read = decode_desired(with_objects(R"([{"object":"site:a","state":"out","x":1}])"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->objects[0].object, "site:a");
    EXPECT_EQ(read->objects[0].reason, "");
}

TEST(Desired, WrongBodiesAreErrors) {
    EXPECT_EQ(error_of("site:east out"), Errc::not_json);
    EXPECT_EQ(error_of("[]"), Errc::not_json);
    EXPECT_EQ(error_of("{}"), Errc::bad_fence);
    EXPECT_EQ(error_of(R"({"fence":{"generation":1,"revision":7}})"), Errc::bad_member);
    EXPECT_EQ(error_of(R"({"schema":2})"), Errc::unknown_schema);
    EXPECT_EQ(error_of(with_objects("{}")), Errc::bad_member);
    EXPECT_EQ(error_of(with_objects("[1]")), Errc::bad_member);
    EXPECT_EQ(error_of(with_objects(R"([{"object":"site:a"}])")), Errc::bad_member);
    EXPECT_EQ(error_of(with_objects(R"([{"object":"site:a","state":""}])")), Errc::bad_text);
    EXPECT_EQ(error_of(with_objects(R"([{"object":"a","state":"out"}])")), Errc::bad_name);
    EXPECT_EQ(error_of(with_objects(R"([{"object":"site:","state":"out"}])")), Errc::bad_name);
    EXPECT_EQ(
        error_of(with_objects(R"([{"object":"site:a","state":"out","reason":"a\nb"}])")),
        Errc::bad_text
    );
    EXPECT_EQ(
        error_of(
            with_objects(R"([{"object":"site:a","state":"out"},{"object":"site:a","state":"in"}])")
        ),
        Errc::twice
    );
}

TEST(Desired, IsBounded) {
    EXPECT_EQ(error_of(std::string(kMaxDesiredBytes + 1, ' ')), Errc::too_large);
    std::string many;
    for (std::size_t i = 0; i <= kMaxDesiredObjects; ++i) {
        many += many.empty() ? "[" : ",";
        many += R"({"object":"site:)" + std::to_string(i) + R"(","state":"out"})";
    }
    EXPECT_EQ(error_of(with_objects(many + "]")), Errc::too_large);
    EXPECT_EQ(
        error_of(
            with_objects(R"([{"object":"site:)" + std::string(300, 'a') + R"(","state":"out"}])")
        ),
        Errc::bad_text
    );
}

TEST(Desired, AnObjectHasAKindAndARest) {
    EXPECT_EQ(split_object("service:ocs@east").kind, "service");
    EXPECT_EQ(split_object("service:ocs@east").rest, "ocs@east");
    EXPECT_EQ(split_object("a:b:c").rest, "b:c");
    EXPECT_EQ(split_object("east").rest, "");
}

}  // namespace
}  // namespace twinsite::wire::contract
