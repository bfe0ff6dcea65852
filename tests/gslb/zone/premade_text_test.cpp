// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/premade_text.hpp"

#include <gtest/gtest.h>

#include "gslb/zone/signature_text.hpp"
#include "tests/gslb/zone/signing_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

using wire::dns::parse_name;

const wire::dns::Name kZone = *parse_name("example.net.");

std::string problem_of(const std::string& text) {
    const auto read = read_premade(text, kZone);
    return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
}

TEST(PremadeText, SignaturesComeBackAsTheyWereWritten) {
    SignParameters how;
    how.times.now = test::kNow;
    const auto made = sign_zone(test::load_zone(""), test::make_keys(), how);
    const auto expected = test::signatures_of(*made.zone, "example.net.", wire::dns::type::dnskey);
    const auto line = signature_line(kZone, 3'600, expected.front());
    const auto read = read_premade("; a note\n" + line, kZone);
    ASSERT_TRUE(std::holds_alternative<Rdatas>(read)) << std::get<std::string>(read);
    EXPECT_EQ(std::get<Rdatas>(read), expected);
}

TEST(PremadeText, OtherRecordsAreRefused) {
    EXPECT_EQ(problem_of(""), "");
    EXPECT_EQ(
        problem_of("example.net. IN A 192.0.2.1\n"), "1: must be an RRSIG record with its owner"
    );
    EXPECT_EQ(
        problem_of("\nother.net. IN RRSIG A 13 2 1 2 3 4 example.net. AAAA\n"),
        "2: is not of example.net."
    );
    EXPECT_NE(problem_of("example.net. IN RRSIG DNSKEY 13\n"), "");
    EXPECT_EQ(signature_line(kZone, 1, {}), "");
}

}  // namespace
}  // namespace twinsite::gslb::zone
