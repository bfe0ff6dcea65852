// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/http/router.hpp"
#include "gslb/control/gate.hpp"
#include "gslb/control/simulate.hpp"
#include "gslb/group/bundle.hpp"
#include "gslb/group/group.hpp"
#include "gslb/group/intent_book.hpp"
#include "gslb/group/peer_view.hpp"

/// The part of the control API that publishes intents and shows the group.
namespace twinsite::gslb::control {

struct ApiSeams;

/// One file that is not the same in two intents.
struct FileChange {
    std::string path;
    std::string what;                ///< "added", "removed", "changed"
    std::vector<std::string> lines;  ///< "-old" and "+new", the first of them when they are many
    std::size_t left_out = 0;        ///< lines beyond that
};
/// In order of paths.
std::vector<FileChange> compare_files(const group::Files& before, const group::Files& after);

/// An answer that two intents give in another way, with the health of now.
struct AnswerChange {
    std::string owner;
    std::string type;
    std::string before;  ///< "ocs-east (192.0.2.1) for clients that prefer east"; "" : none
    std::string after;
};
std::vector<AnswerChange> compare_answers(
    const std::vector<ClassAnswer>& before, const std::vector<ClassAnswer>& after
);

struct Difference {
    std::vector<FileChange> files;
    std::vector<AnswerChange> answers;
};

struct IntentRequest {
    group::Files files;
    std::string operator_;
    std::string reason;
    bool take_over = false;
};

struct IntentOutcome {
    std::vector<std::string> findings;  ///< not empty: nothing was done
    std::string refusal;                ///< not empty: a rule forbids it
    std::string failure;                ///< not empty: the disk or the key
    Difference difference;
    std::optional<group::KnownVersion> version;  ///< in force now
    bool stopping = false;
};

/// An offered bundle that this member did not take.
struct RefusedIntent {
    wire::group::IntentVersion version;
    std::string peer;
    std::string author;
    std::vector<std::string> findings;
};

struct GroupView {
    bool configured = false;
    bool may_publish = false;  ///< there is a signing key
    std::string author;
    wire::group::IntentVersion intent;
    std::string operator_;
    std::string reason;
    std::vector<group::PeerView> peers;
    std::vector<group::Fork> forks;
    std::vector<group::KnownVersion> known;  ///< oldest first
    std::vector<bool> kept;                  ///< for each of `known`: may be rolled back to
    std::optional<RefusedIntent> refused;
    group::GroupCounters counters;
    wire::group::Digest digest;
};

/// What the program around does for these routes. The first three are called on the API's thread
/// and may take a while; `view` on the helm's.
struct GroupSeams {
    std::function<IntentOutcome(const IntentRequest&)> check;
    std::function<IntentOutcome(const IntentRequest&)> apply;
    std::function<IntentOutcome(const wire::group::IntentVersion&, const IntentRequest&)> rollback;
    std::function<GroupView()> view;
};

/// GET group, GET and POST intent. `seams` and `group` outlive the router.
void add_group_routes(
    base::http::Router& router,
    const ApiSeams& seams,
    const GroupSeams& group,
    const Gate& gate = open_gate()
);

}  // namespace twinsite::gslb::control
