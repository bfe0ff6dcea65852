// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "switchover/model/gate.hpp"
#include "wire/contract/fence.hpp"

/// What the API shows, as plain values. The backend fills them; json.hpp writes them. Names follow
/// docs/operator/api-switchover.md. Wall times are Unix time in ms; ages are of now.
namespace twinsite::switchover::api {

using WallMs = std::int64_t;
using Texts = std::vector<std::string>;
using Params = std::vector<std::pair<std::string, std::string>>;

/// A text in both languages of the console.
struct Title {
    std::string en;
    std::string zh;  ///< Empty: the English one.
};

/// One condition that was looked at (docs/operator/gates.md).
using GateView = model::Gate;

struct PauseView {
    std::string by;
    std::string reason;
    WallMs since_wall = 0;
    std::optional<WallMs> until_wall;
};

struct ServerView {
    std::string node;
    std::string site;
    bool leader = false;
    wire::contract::Fence fence;
    std::uint64_t uptime_s = 0;
};

struct BlindView {
    bool is = false;
    std::string why;
};

struct VoteView {
    std::string observer;
    std::string sees;  ///< up | down | unknown
    std::optional<std::uint64_t> age_ms;
};

struct EvidenceView {
    std::string local;  ///< silent | failed | ok | unknown
    std::vector<VoteView> votes;
    unsigned need = 0;
    unsigned have = 0;
};

struct MemberView {
    std::string name;
    std::string kind;  ///< gslb | slb | monitor
    bool reachable = false;
    std::optional<std::uint64_t> age_ms;
    std::optional<bool> in_sync;  ///< It has the wanted state; nullopt: does not apply.
    std::string detail;
};

struct ProblemView {
    std::string code;
    std::string text;
    Params params;
};

struct SiteView {
    std::string name;
    Title title;
    std::string state;  ///< UNKNOWN | OK | SUSPECT | FAILED | RECOVERING
    WallMs since_wall = 0;
    Texts flags;          ///< stale, flapping, maint
    std::string desired;  ///< in | out | drain
    bool serving = false;
    unsigned agents_ok = 0;
    unsigned agents_stale = 0;
    unsigned agents_total = 0;
    EvidenceView evidence;
    std::vector<MemberView> members;
    std::vector<ProblemView> problems;
};

struct ServiceViewpoint {
    std::string view;
    bool ok = false;
    std::optional<std::uint64_t> age_ms;
    std::uint64_t latency_ms = 0;
    std::string detail;
};

struct ServiceView {
    std::string name;
    Title title;
    bool good = false;
    std::optional<WallMs> last_good_wall;
    std::optional<std::uint64_t> age_ms;
    std::vector<ServiceViewpoint> views;
};

struct ScenarioSummary {
    std::string name;
    Title title;
    std::string mode;
    std::string effective_mode;
    std::string site;
    std::string kind;  ///< site-down | failback | other
    bool firing = false;
    std::string verdict;  ///< running | would_start | offered | waiting | held | idle
    Texts blocked_by;     ///< Codes of gates.
    std::uint64_t worst_case_s = 0;
    std::uint64_t rto_target_s = 0;
    std::string hash;
};

struct ScenarioDetail {
    ScenarioSummary summary;
    std::string source;  ///< The file's text.
    Texts lint;
};

struct WhyView {
    std::string scenario;
    Title title;
    std::string mode;
    std::string effective_mode;
    bool firing = false;
    std::string verdict;
    Title text;  ///< May be empty.
    std::vector<GateView> gates;
    std::vector<GateView> trigger;
    std::vector<GateView> require;
};

struct TargetView {
    std::string name;
    std::string state;
    std::string output;
};

struct StepView {
    std::string id;
    Title title;
    std::string action;
    std::string state;
    unsigned tries = 0;
    std::optional<WallMs> started_wall;
    std::optional<WallMs> ended_wall;
    std::string output;
    Texts needs;
    std::vector<TargetView> targets;
};

struct MarksView {
    std::optional<WallMs> r0_wall, r1_wall, r2_wall, r3_wall, r4_wall, r5_wall;
};

struct RunView {
    std::string id;
    std::string scenario;
    Title title;
    std::string kind;
    std::string state;
    std::string mode;
    std::string by;
    std::string reason;
    WallMs started_wall = 0;
    std::optional<WallMs> ended_wall;
    wire::contract::Fence fence;
    MarksView marks;
    std::optional<std::uint64_t> rto_ms;
    std::optional<std::uint64_t> rto_without_human_ms;
    std::uint64_t human_wait_ms = 0;
    bool health_alone = false;
    std::uint64_t rto_target_ms = 0;
    std::optional<bool> rto_ok;
    std::vector<StepView> steps;
    Texts warnings;
    std::string hash;
    std::string output;  ///< Why it ended, or what it waits for.
};

struct AlarmView {
    std::string code;
    std::string severity;  ///< info | warning | critical
    std::string text;
    WallMs since_wall = 0;
    Params params;
};

struct OverviewView {
    ServerView server;
    std::optional<PauseView> pause;
    BlindView blind;
    std::vector<SiteView> sites;
    std::vector<ServiceView> services;
    std::vector<ScenarioSummary> scenarios;
    std::vector<RunView> active_runs;  ///< Written without their steps' outputs.
    std::optional<RunView> last_run;
    std::vector<AlarmView> alarms;
};

/// What the judge thinks of a host or process; the numbers come from the fleet.
struct JudgedState {
    std::string state = "UNKNOWN";
    std::optional<WallMs> since_wall;
};

}  // namespace twinsite::switchover::api
