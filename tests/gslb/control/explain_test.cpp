// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/explain.hpp"

#include <gtest/gtest.h>

#include "base/text/text.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

using health::State;
using steering::Forced;
using steering::Precedence;
using wire::dns::Rcode;
namespace type = wire::dns::type;

ExplainQuestion ask(
    const char* name, std::uint16_t wanted, const char* client, const char* subnet
) {
    ExplainQuestion out;
    out.name = *wire::dns::parse_name(name);
    out.type = wanted;
    out.client = *base::text::parse_ip(client);
    if (*subnet != 0) out.subnet = *base::text::parse_prefix(subnet);
    return out;
}

Explanation explain_a(const Helm& helm, const char* client, const char* subnet = "") {
    return helm.explain(ask("ocs.example.net", type::a, client, subnet), kNoon);
}

std::string text_of(const Explanation& explanation) {
    return base::text::join(describe(explanation), "\n");
}

TEST(Explain, NamesTheClientsClassAndScope) {
    HelmUnderTest test;
    const auto by_subnet = explain_a(test.helm, "192.0.2.1", "10.1.9.0/24");
    EXPECT_EQ(by_subnet.sites, (std::vector<std::string>{"east", "west"}));
    EXPECT_EQ(by_subnet.scope, by_subnet.prefix_length);
    EXPECT_EQ(by_subnet.answers, std::vector<std::string>{"127.0.1.20"});
    EXPECT_EQ(by_subnet.rcode, Rcode::no_error);
    EXPECT_EQ(by_subnet.ttl_s, 30U);
    const auto by_source = explain_a(test.helm, "10.2.0.1");
    EXPECT_EQ(by_source.scope, std::nullopt);
    EXPECT_EQ(by_source.sites, (std::vector<std::string>{"west", "east"}));
    EXPECT_EQ(by_source.answers, std::vector<std::string>{"127.0.2.20"});
}

TEST(Explain, ASubnetOfLengthZeroMeansTheResolver) {
    HelmUnderTest test;
    const auto explanation = explain_a(test.helm, "10.2.0.1", "0.0.0.0/0");
    EXPECT_EQ(explanation.answers, std::vector<std::string>{"127.0.2.20"});
    EXPECT_EQ(explanation.scope, 0U);
    EXPECT_EQ(explanation.sites[0], "west");
}

/// The stages come from decide(), the answers from the snapshot: they must tell one story.
TEST(Explain, StagesEndInTheAnswerForEveryStateAndClient) {
    for (const auto east : {State::up, State::down, State::unknown})
        for (const auto west : {State::up, State::down, State::unknown})
            for (const auto forced : {Forced::none, Forced::up, Forced::down, Forced::drain})
                for (const auto* client : {"10.1.0.1", "10.2.0.1", "192.0.2.1"}) {
                    HelmUnderTest test;
                    test.set_health("ocs-east", east);
                    test.set_health("ocs-west", west);
                    test.helm.refresh();
                    if (forced != Forced::none)
                        test.helm.set_override(
                            {{"ocs", "ocs-east"}, forced, "r", "a", kNoon.wall, std::nullopt}, true
                        );
                    const auto explanation = explain_a(test.helm, client);
                    ASSERT_FALSE(explanation.trace.stages.empty());
                    std::vector<std::string> expected;
                    for (const auto& kept : explanation.trace.stages.back().kept)
                        expected.push_back(kept == "ocs-east" ? "127.0.1.20" : "127.0.2.20");
                    EXPECT_EQ(explanation.answers, expected) << text_of(explanation);
                }
}

TEST(Explain, SaysWhoDecided) {
    HelmUnderTest test;
    EXPECT_EQ(explain_a(test.helm, "10.1.0.1").trace.precedence, Precedence::none);
    test.set_health("ocs-east", State::down);
    test.helm.refresh();
    EXPECT_EQ(explain_a(test.helm, "10.1.0.1").trace.precedence, Precedence::health);
    test.helm.set_override(
        {{"ocs", "ocs-east"}, Forced::up, "checks are wrong", "ann", kNoon.wall, std::nullopt},
        false
    );
    const auto explanation = explain_a(test.helm, "10.1.0.1");
    EXPECT_EQ(explanation.trace.precedence, Precedence::override_);
    const auto text = text_of(explanation);
    EXPECT_NE(text.find("decided by an operator's override"), std::string::npos);
    EXPECT_NE(
        text.find("ocs-east is forced up by ann until it is cleared: checks are wrong"),
        std::string::npos
    );
}

TEST(Explain, MarksHealthFromBeforeTheRestart) {
    HelmUnderTest test;
    test.set_health("ocs-west", State::up, true);
    const auto text = text_of(explain_a(test.helm, "10.1.0.1"));
    EXPECT_NE(text.find("ocs-west rests on checks from before the restart"), std::string::npos);
    EXPECT_EQ(text.find("ocs-east rests"), std::string::npos);
}

TEST(Explain, FollowsACnameToTheSteeredName) {
    HelmUnderTest test;
    const auto explanation =
        test.helm.explain(ask("alias.example.net", type::a, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(explanation.answers, (std::vector<std::string>{"ocs.example.net.", "127.0.2.20"}));
    ASSERT_TRUE(explanation.steered);
    EXPECT_EQ(explanation.steered->to_string(), "ocs.example.net.");
    EXPECT_EQ(explanation.ttl_s, 30U);
}

TEST(Explain, ASteeredWildcardIsSteeredForEveryNameItStandsFor) {
    HelmUnderTest test;
    const auto explanation =
        test.helm.explain(ask("a.any.example.net", type::a, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(explanation.answers, std::vector<std::string>{"127.0.2.20"});
    ASSERT_TRUE(explanation.steered);
    EXPECT_EQ(explanation.steered->to_string(), "*.any.example.net.");
    EXPECT_FALSE(explanation.trace.stages.empty());
}

TEST(Explain, ACnameWhoseSteeredEndHasNoDataIsSteered) {
    HelmUnderTest test;
    test.helm.set_override(
        {{"ocs", "ocs-east"}, Forced::down, "r", "a", kNoon.wall, std::nullopt}, false
    );
    const auto explanation =
        test.helm.explain(ask("alias.example.net", type::aaaa, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(explanation.answers, std::vector<std::string>{"ocs.example.net."});
    ASSERT_TRUE(explanation.steered);
    EXPECT_EQ(explanation.steered->to_string(), "ocs.example.net.");
    EXPECT_EQ(explanation.trace.precedence, Precedence::override_);
}

TEST(Explain, EachFamilyHasItsOwnTargets) {
    HelmUnderTest test;
    const auto explanation =
        test.helm.explain(ask("ocs.example.net", type::aaaa, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(explanation.answers, std::vector<std::string>{"2001:db8:1::20"});
    EXPECT_EQ(explanation.trace.stages[0].filter, "family");
}

TEST(Explain, TellsADrawByWeight) {
    HelmUnderTest test;
    const auto explanation =
        test.helm.explain(ask("drawn.example.net", type::a, "10.2.0.1", ""), kNoon);
    EXPECT_TRUE(explanation.drawn);
    EXPECT_EQ(explanation.answers.size(), 1U);
    EXPECT_FALSE(explain_a(test.helm, "10.2.0.1").drawn);
}

TEST(Explain, PlainNamesAndErrorsHaveNoStages) {
    HelmUnderTest test;
    const auto plain =
        test.helm.explain(ask("www.example.net", type::txt, "10.2.0.1", "10.1.0.0/16"), kNoon);
    EXPECT_EQ(plain.answers, std::vector<std::string>{R"("a \"quoted\" text" "second")"});
    EXPECT_FALSE(plain.steered);
    EXPECT_EQ(plain.scope, 0U);
    EXPECT_TRUE(plain.trace.stages.empty());
    const auto missing = test.helm.explain(ask("none.example.net", type::a, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(missing.rcode, Rcode::nx_domain);
    EXPECT_EQ(missing.ttl_s, 60U);
    const auto foreign = test.helm.explain(ask("example.org", type::a, "10.2.0.1", ""), kNoon);
    EXPECT_EQ(foreign.rcode, Rcode::refused);
}

}  // namespace
}  // namespace twinsite::gslb::control
