// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/parse.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/file/state_file.hpp"
#include "switchover/scenario/lint.hpp"
#include "tests/switchover/scenario/sample.hpp"

namespace twinsite::switchover::scenario {
namespace {

std::string findings_of(const std::string& text) {
    std::string out;
    for (const auto& finding : parse_source(text, "s.yaml", sample_names()).findings)
        out += to_string(finding) + "\n";
    return out;
}

/// The findings of a scenario whose steps are these.
std::string findings_of_steps(const std::string& steps) {
    return findings_of(std::string(kHead) + "steps:\n" + steps);
}

TEST(ParseScenario, WholeLanguage) {
    const auto got = scenario_of(kWhole);
    EXPECT_EQ(got.name, "sample");
    EXPECT_EQ(got.title.zh, "样例");
    EXPECT_EQ(got.kind, Kind::site_down);
    EXPECT_EQ(got.mode, Mode::automatic);
    EXPECT_EQ(got.locks, std::vector<std::string>{"site/east"});
    EXPECT_EQ(got.trigger.lasting, Milliseconds(3'000));
    EXPECT_EQ(got.approval_wait, Milliseconds(90'000));
    ASSERT_EQ(got.steps.size(), 6U);
    EXPECT_EQ(got.steps[1].on_fail, OnFail::proceed);
    EXPECT_EQ(got.steps[1].tries, 1U);
    EXPECT_EQ(
        got.steps[2].targets, (std::vector<std::string>{"west/if1", "west/if2", "west/proc1"})
    );
    EXPECT_EQ(got.steps[2].act.parameters.at("to"), "west");
    EXPECT_EQ(got.steps[3].post.size(), 2U);
    EXPECT_EQ(got.steps[3].backoff, Milliseconds(2'000));
    ASSERT_TRUE(got.steps[5].human.has_value());
    EXPECT_TRUE(got.steps[5].human->proceed_on_timeout);
    EXPECT_EQ(got.verify.hold, Milliseconds(3'000));
    EXPECT_EQ(got.variants.at("forced"), std::vector<std::string>{"drain"});
}

TEST(ParseScenario, ScalarsAreTextsWhateverYamlThinks) {
    // `off`, `no` and `on` are truth values for other readers of YAML, `10:30` is a number.
    const auto got = scenario_of(
        std::string(kHead) +
        "mode: off\n"
        "steps:\n"
        "  - {id: no, do: {agent.run: {host: west/if1, action: on, at: 10:30, "
        "x: no}}}\n"
    );
    EXPECT_EQ(got.mode, Mode::off);
    EXPECT_EQ(got.steps[0].id, "no");
    EXPECT_EQ(got.steps[0].act.parameters.at("action"), "on");
    EXPECT_EQ(got.steps[0].act.parameters.at("at"), "10:30");
    EXPECT_EQ(got.steps[0].act.parameters.at("x"), "no");
}

TEST(ParseScenario, FindingsNamePlaceAndNearestName) {
    EXPECT_EQ(
        findings_of(std::string(kHead) + "aproval: {}\nsteps: [{id: a, do: {wait: {for: 1s}}}]\n"),
        "s.yaml:5:1: $: unknown key 'aproval'; did you mean 'approval'?\n"
    );
    EXPECT_EQ(
        findings_of_steps("  - id: a\n    do: {gslb.sett: {site: east, state: out}}\n"),
        "s.yaml:7:21: $.steps[0].do.gslb.sett: unknown action 'gslb.sett'; did you mean "
        "'gslb.set'?\n"
    );
    EXPECT_EQ(
        findings_of_steps("  - id: a\n    do: {gslb.set: {site: eest, state: out}}\n"),
        "s.yaml:7:27: $.steps[0].do.gslb.set.site: unknown site 'eest'; did you mean 'east' or "
        "'west'?\n"
    );
    EXPECT_EQ(
        findings_of_steps("  - id: a\n    do: {gslb.set: {site: east, state: off}}\n"),
        "s.yaml:7:40: $.steps[0].do.gslb.set.state: unknown state 'off'; did you mean 'out'?\n"
    );
}

TEST(ParseScenario, EachKindOfSlip) {
    const std::pair<std::string, std::string> cases[] = {
        {"  - {id: a, do: {wait: {for: 2}}}\n", "must be a duration"},
        {"  - {id: a, do: {wait: {for: 2h}}}\n", "must be between 1ms and 1h"},
        {"  - {id: a, do: {wait: {}}}\n", "key 'for' is missing"},
        {"  - {id: a, do: {wait: {for: 2s, x: 1}}}\n", "unknown key 'x'"},
        {"  - {id: a, do: {slb.release: {site: west, rate: 0}}}\n", "between 1 and 1000"},
        {"  - {id: a, do: {agent.run: {action: x}}}\n", "either 'host' here or 'each'"},
        {"  - {id: a, do: {agent.run: {action: x, host: west/if9}}}\n", "unknown host 'west/if9'"},
        {"  - {id: a, each: {site: west}, do: {wait: {for: 2s}}}\n", "goes with agent.run only"},
        {"  - {id: a, each: {kind: [db]}, do: {agent.run: {action: x}}}\n", "means no host"},
        {"  - {id: a}\n", "either 'do' or 'human'"},
        {"  - {id: a, do: {wait: {for: 2s}}, human: {ask: x}}\n", "either 'do' or 'human'"},
        {"  - {id: A, do: {wait: {for: 2s}}}\n", "must be 1 to 24 of"},
        {"  - {id: a, do: {wait: {for: 2s}, notify: {text: x}}}\n", "exactly one action"},
        {"  - {id: a, needs: [b], do: {wait: {for: 2s}}}\n", "unknown step 'b'"},
        {"  - {id: a, tries: 0, do: {wait: {for: 2s}}}\n", "between 1 and 10"},
        {"  - {id: a, on_fail: go, do: {wait: {for: 2s}}}\n", "must be one of pause, continue"},
        {"  - {id: a, do: {notify: {text: \"${run.ID}\"}}}\n", "unknown placeholder 'run.ID'"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [site.don(east)]}\n", "did you mean 'site.down'"
        },
        {"  - {id: a, do: {wait: {for: 2s}}, post: [site.down(est)]}\n", "unknown site 'est'"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [site.down()]}\n", "has the form site.down(site)"
        },
        {"  - {id: a, do: {wait: {for: 2s}}, post: [gslb.applied(east)]}\n", "is a word"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [slb.clients(east)]}\n", "is a number"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [site.ok(east) < 3]}\n", "is true or false"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [gslb.applied(east) == off]}\n",
         "unknown value 'off'"},
        {"  - {id: a, do: {wait: {for: 2s}}, post: [dns.answer(a.b, east) == west]}\n",
         "needs quotes"},
        {"  - {id: a, allow_fail: 101%, do: {wait: {for: 2s}}}\n", "from 0% to 100%"},
    };
    for (const auto& [steps, words] : cases) {
        const auto findings = findings_of_steps(steps);
        EXPECT_NE(findings.find(words), std::string::npos) << steps << findings;
    }
}

TEST(ParseScenario, StepsMustNotWaitForThemselves) {
    const auto findings = findings_of_steps(
        "  - {id: a, needs: [c], do: {wait: {for: 1s}}}\n"
        "  - {id: b, needs: [a], do: {wait: {for: 1s}}}\n"
        "  - {id: c, needs: [b], do: {wait: {for: 1s}}}\n"
        "  - {id: d, do: {wait: {for: 1s}}}\n"
        "  - {id: d, needs: [d], do: {wait: {for: 1s}}}\n"
    );
    EXPECT_NE(findings.find("s.yaml:6:5: $.steps[0]: step 'a' waits for itself"), std::string::npos)
        << findings;
    EXPECT_NE(findings.find("step 'b' waits"), std::string::npos);
    EXPECT_NE(findings.find("step 'c' waits"), std::string::npos);
    EXPECT_NE(findings.find("another step 'd'"), std::string::npos);
}

TEST(ParseScenario, TriggerAsksOnlyWhatIsKnownAtAnyTime) {
    const auto findings = findings_of(
        std::string(kHead) +
        "trigger: {all: [\"gslb.applied(east) == out\"]}\nsteps: [{id: a, do: {wait: {for: "
        "1s}}}]\n"
    );
    EXPECT_NE(findings.find("asked only while a run is on"), std::string::npos) << findings;
}

TEST(ParseScenario, HeadIsChecked) {
    const std::string steps = "steps: [{id: a, do: {wait: {for: 1s}}}]\n";
    EXPECT_NE(
        findings_of("scenario: a\n" + steps).find("key 'schema' is missing"), std::string::npos
    );
    EXPECT_NE(
        findings_of("schema: twinsite/2\nscenario: a\n" + steps).find("must be twinsite/1"),
        std::string::npos
    );
    EXPECT_NE(
        findings_of("schema: twinsite/1\nscenario: a\nkind: failback\n" + steps)
            .find("'site' belongs"),
        std::string::npos
    );
    EXPECT_NE(
        findings_of(std::string(kHead) + "failback: failback-est\n" + steps)
            .find("did you mean 'failback-east' or 'failback-west'"),
        std::string::npos
    );
    EXPECT_NE(findings_of(std::string(kMaxSourceBytes + 1, '#')).find("larger"), std::string::npos);
    EXPECT_NE(findings_of("[").find("s.yaml:1:"), std::string::npos);
}

TEST(ParseScenario, ShippedScenariosAreRight) {
    for (const auto* name :
         {"site-east-down", "site-west-down", "failback-east", "failback-west"}) {
        const auto path = std::string(SOURCE_ROOT) + "/switchover/etc/scenarios/" + name + ".yaml";
        const auto text = base::file::read_state_file(path);
        ASSERT_TRUE(text && *text) << path;
        const auto parsed = parse_source(**text, path, sample_names());
        for (const auto& finding : parsed.findings) ADD_FAILURE() << to_string(finding);
        EXPECT_EQ(parsed.scenario.name, name);
        const bool failback = parsed.scenario.kind == Kind::failback;
        // Within the demo's 30 s: 6 s until the judge says "down", and 5 s for caches.
        const auto report = lint(parsed.scenario, {Milliseconds(6'000), Milliseconds(5'000)});
        EXPECT_EQ(report.auto_allowed(), !failback) << name;
        EXPECT_EQ(parsed.scenario.mode, failback ? Mode::semi : Mode::automatic);
    }
}

/// Every key of the language stands in the page, as `key`.
TEST(ParseScenario, PageNamesEveryKey) {
    const auto page =
        base::file::read_state_file(std::string(SOURCE_ROOT) + "/docs/operator/scenarios.md");
    ASSERT_TRUE(page && *page);
    auto asked = parse_source(kWhole, "s.yaml", sample_names()).asked;
    // Written out in the page's own words: names that people choose, and actions.
    for (const auto& key : asked) {
        if (key.find(".do.") != std::string::npos || key.find(".undo.") != std::string::npos ||
            key.find("$.variants.") == 0)
            continue;
        const auto row = "`" + key.substr(2) + "`";
        EXPECT_NE((*page)->find(row), std::string::npos) << row << " is missing in scenarios.md";
    }
}

}  // namespace
}  // namespace twinsite::switchover::scenario
