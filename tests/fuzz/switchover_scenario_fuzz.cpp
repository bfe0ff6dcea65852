// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario file and as a stored run. A file gives findings, or a scenario whose run
// comes to an end whatever the world answers; a run is refused, or survives being written and read
// again and takes every event.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "switchover/scenario/lint.hpp"
#include "switchover/scenario/machine.hpp"
#include "switchover/scenario/parse.hpp"

using namespace twinsite::switchover::scenario;

namespace {

constexpr Moment kStart{1'000'000, 1'800'000'000'000};

Names names() {
    Names out;
    out.sites = {"east", "west"};
    out.hosts = {{"east/if1", "interface"}, {"west/if1", "interface"}};
    out.members = {"gslb-east", "gslb-west"};
    out.services = {"ocs"};
    return out;
}

/// Answers that the text itself decides.
Event answer(const Effect& effect, std::string_view text, std::size_t turn) {
    constexpr unsigned kKinds = 4;
    const auto byte = static_cast<unsigned char>(text[turn % text.size()]);
    return Event::result_of(effect.op_id, static_cast<Event::Outcome>(byte % kKinds), "said");
}

/// Every try, phase and undo takes bounded time, so a run ends within its limit or waits for a
/// person, whom `limit` bounds.
void drive(const Scenario& scenario, std::string_view text) {
    RunRequest request;
    request.id = "r1";
    auto run = make_run(scenario, request);
    auto now = kStart;
    std::vector<Effect> waiting;
    auto event = Event::of(Event::Kind::start);
    constexpr std::size_t kTurns = 3'000;
    for (std::size_t turn = 0; turn < kTurns && !ended(run.state); ++turn) {
        auto moved = step(scenario, run, event, now);
        BASE_CHECK(fits(scenario, moved.run));
        run = std::move(moved.run);
        for (auto& effect : moved.effects)
            if (effect.kind != Effect::Kind::cancel) waiting.push_back(std::move(effect));
        if (!waiting.empty()) {
            event = answer(waiting.back(), text, turn);
            waiting.pop_back();
            continue;
        }
        const auto wake = next_wake(run);
        BASE_CHECK(wake || ended(run.state));
        const auto ahead = wake && *wake > now.mono ? *wake - now.mono : 1;
        now = {now.mono + ahead, now.wall + ahead};
        event = Event::of(Event::Kind::tick);
    }
    BASE_CHECK(ended(run.state));
}

void check_file(std::string_view text) {
    const auto parsed = parse_source(std::string(text), "fuzz.yaml", names());
    for (const auto& finding : parsed.findings)
        BASE_CHECK(to_string(finding).starts_with("fuzz.yaml:"));
    if (!parsed.good()) return;
    BASE_CHECK(lint(parsed.scenario).worst_case.count() >= 0);
    constexpr std::size_t kFewSteps = 12;  // more take long and show nothing new
    if (parsed.scenario.steps.size() <= kFewSteps) drive(parsed.scenario, text);
}

const Scenario& sample() {
    static const auto parsed = parse_source(
        "schema: twinsite/1\n"
        "scenario: sample\n"
        "kind: site-down\n"
        "site: east\n"
        "steps:\n"
        "  - {id: a, do: {gslb.set: {site: east, state: out}}, undo: {gslb.set: {site: east, "
        "state: in}}, post: [site.ok(west)]}\n"
        "  - {id: b, needs: [a], do: {wait: {for: 1s}}}\n"
        "  - {id: c, needs: [b], human: {ask: good}}\n"
        "verify: {check: [site.ok(west)]}\n",
        "sample.yaml",
        names()
    );
    BASE_CHECK(parsed.good());
    return parsed.scenario;
}

void check_run(std::string_view text) {
    const auto read = decode_run(text);
    if (!read) return;
    const auto again = decode_run(encode_run(*read));
    BASE_CHECK(again && *again == *read);
    if (!fits(sample(), *read)) return;
    constexpr int kKinds = 11;
    for (int kind = 0; kind < kKinds; ++kind) {
        auto event = Event::of(static_cast<Event::Kind>(kind));
        event.op_id = read->check_op;
        for (const auto& at : read->steps)
            for (const auto& target : at.targets)
                if (event.op_id.empty()) event.op_id = target.op_id;
        const auto moved = step(sample(), *read, event, kStart);
        BASE_CHECK(fits(sample(), moved.run));
        BASE_CHECK(decode_run(encode_run(moved.run)).has_value());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.front() == '{')
        check_run(text);
    else
        check_file(text);
    return 0;
}
