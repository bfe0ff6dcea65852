// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/group_json.hpp"

#include <boost/json.hpp>

#include "gslb/control/json.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;

json::object version_json(const wire::group::IntentVersion& version) {
    return {{"epoch", version.epoch}, {"seq", version.seq}, {"hash", version.hash}};
}

json::object peer_json(const group::PeerView& peer) {
    json::object out{
        {"name", peer.name},
        {"address", to_string(peer.address)},
        {"site", peer.site},
        {"program", peer.program},
        {"state", to_string(peer.state)},
        {"text", describe(peer)},
        {"connected", peer.connected},
        {"protocol", peer.protocol},
        {"silent_for_ms", nullptr},
        {"round_trip_us", nullptr},
        {"draining", peer.draining},
        {"intent", version_json(peer.digest.intent)},
        {"standing", peer.compared ? to_string(peer.standing) : ""},
        {"versions_behind", peer.versions_behind},
        {"versions_ahead", peer.versions_ahead},
        {"same_overrides", peer.same_overrides},
        {"answers_differ", peer.other_answers.size()},
        {"answers_differ_with_equal_inputs", peer.broken.size()},
        {"differing_policies", json::array()},
        {"problem", peer.problem},
    };
    if (peer.silent_for) out["silent_for_ms"] = peer.silent_for->count();
    if (peer.round_trip) out["round_trip_us"] = peer.round_trip->count();
    constexpr std::size_t kMostNames = 100;
    auto& names = out["differing_policies"].get_array();
    for (const auto& owner : peer.other_answers)
        if (names.size() < kMostNames) names.push_back(json::value(owner));
    return out;
}

json::object counters_json(const group::GroupCounters& counters) {
    return {
        {"links_opened", counters.links_opened},
        {"links_lost", counters.links_lost},
        {"refused", counters.refused},
        {"frames_in", counters.frames_in},
        {"frames_out", counters.frames_out},
        {"bad_frames", counters.bad_frames},
        {"gossip_dropped", counters.gossip_dropped},
    };
}

json::array forks_json(const std::vector<group::Fork>& forks) {
    json::array out;
    for (const auto& fork : forks) {
        auto object = version_json(fork.version);
        object["author"] = fork.author;
        object["why"] = fork.why;
        out.push_back(std::move(object));
    }
    return out;
}

json::value refused_json(const std::optional<RefusedIntent>& refused) {
    if (!refused) return nullptr;
    auto out = version_json(refused->version);
    out["peer"] = refused->peer;
    out["author"] = refused->author;
    out["findings"] = to_json(refused->findings);
    return out;
}

json::object head_json(const GroupView& view) {
    auto out = version_json(view.intent);
    out["author"] = view.author;
    out["operator"] = view.operator_;
    out["reason"] = view.reason;
    return out;
}

}  // namespace

json::object to_json(const group::KnownVersion& version) {
    auto out = version_json(version.version);
    out["author"] = version.author;
    out["parent"] = version.parent;
    return out;
}

json::object group_to_json(const GroupView& view) {
    json::array peers;
    for (const auto& peer : view.peers) peers.push_back(peer_json(peer));
    return {
        {"configured", view.configured},
        {"may_publish", view.may_publish},
        {"intent", head_json(view)},
        {"overrides_hash", view.digest.overrides},
        {"decisions",
         json::object{
             {"inputs", view.digest.decision_inputs}, {"answers", view.digest.decision_tables}
         }},
        {"peers", std::move(peers)},
        {"forks", forks_json(view.forks)},
        {"refused", refused_json(view.refused)},
        {"counters", counters_json(view.counters)},
    };
}

json::object intent_to_json(const GroupView& view) {
    json::array known;
    for (std::size_t i = 0; i < view.known.size(); ++i) {
        auto object = to_json(view.known[i]);
        object["kept"] = i < view.kept.size() && view.kept[i];
        known.push_back(std::move(object));
    }
    return {
        {"in_force", head_json(view)},
        {"may_publish", view.may_publish},
        {"known", std::move(known)},
        {"forks", forks_json(view.forks)},
        {"refused", refused_json(view.refused)},
    };
}

json::object to_json(const Difference& difference) {
    json::array files;
    for (const auto& file : difference.files)
        files.push_back(json::object{
            {"path", file.path},
            {"what", file.what},
            {"lines", to_json(file.lines)},
            {"left_out", file.left_out},
        });
    constexpr std::size_t kMost = 1'000;
    json::array answers;
    for (const auto& answer : difference.answers) {
        if (answers.size() == kMost) break;
        answers.push_back(json::object{
            {"owner", answer.owner},
            {"type", answer.type},
            {"before", answer.before},
            {"after", answer.after},
        });
    }
    return {
        {"files", std::move(files)},
        {"answers", std::move(answers)},
        {"answers_changed", difference.answers.size()},
    };
}

json::object to_json(const ClassAnswer& answer) {
    json::array classes;
    for (const auto& sites : answer.classes) classes.push_back(to_json(sites));
    return {
        {"owner", answer.owner},
        {"type", answer.type},
        {"classes", std::move(classes)},
        {"targets", to_json(answer.targets)},
        {"records", to_json(answer.records)},
        {"drawn", answer.drawn},
    };
}

}  // namespace twinsite::gslb::control
