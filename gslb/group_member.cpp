// SPDX-License-Identifier: Apache-2.0
#include "gslb/group_member.hpp"

#include <algorithm>

#include "base/crypto/digest.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "gslb/control/decisions.hpp"
#include "gslb/control/override_sync.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb {
namespace {

namespace log = base::log;
using control::Moment;

group::GroupSettings make_settings(const Config& config) {
    const auto& from = *config.group;
    group::GroupSettings out;
    out.node = config.node;
    out.site = config.site;
    out.listen = from.listen;
    out.server = {from.tls.certificate, from.tls.key, from.ca, from.crl};
    out.client.ca = from.ca;
    out.client.certificate = from.tls.certificate;
    out.client.key = from.tls.key;
    out.client.crl = from.crl;
    for (const auto& peer : from.peers) out.peers.push_back({peer.name, peer.address});
    out.heartbeat = from.heartbeat;
    out.digest = from.digest;
    out.silent_after = from.silent_after;
    return out;
}

}  // namespace

GroupMember::GroupMember(
    boost::asio::io_context& io,
    const std::string& config_file,
    const Config& config,
    control::Helm& helm,
    Seams seams,
    IntentKeeper::Seams keeper_seams
)
    : node_(config.node),
      stamp_file_(config.state_directory + "/group-secrets.json"),
      helm_(helm),
      seams_(std::move(seams)),
      keeper_(
          io,
          config_file,
          config,
          helm,
          [&] {
              keeper_seams.tell = [this] {
                  helm_.set_epoch(keeper_.book().current().epoch);
                  group_.tell_intent();
              };
              return std::move(keeper_seams);
          }()
      ),
      group_(io, make_settings(config), *this) {}

GroupMember::~GroupMember() = default;

base::Result<void> GroupMember::open(const std::string& content) {
    read_stamp();
    auto opened = keeper_.open(content);
    if (opened) helm_.set_epoch(keeper_.book().current().epoch);
    return opened;
}

base::Result<void> GroupMember::connect() {
    const auto at = group_.start();
    if (!at) return at.error();
    log::event(log::Level::info, "group_listening", {{"address", to_string(*at)}});
    surroundings_changed();
    return {};
}

void GroupMember::stop() {
    group_.stop();
}

// ---------------------------------------------------------------- told by the other parts

void GroupMember::tell_override(const control::Override& entry) {
    group_.tell_override(control::to_wire(entry, Moment::now()));
}

void GroupMember::tell_observations() {
    group_.tell_observations();
}

void GroupMember::tell_fences() {
    group_.tell_fences();
}

void GroupMember::secrets_changed() {
    const auto wall = std::chrono::floor<std::chrono::milliseconds>(Moment::now().wall);
    wire::group::HybridClock clock;
    clock.see(secrets_stamp_.clock);
    secrets_stamp_ = {
        std::max(secrets_stamp_.epoch, keeper_.book().current().epoch),
        clock.tick(static_cast<std::uint64_t>(wall.time_since_epoch().count())),
        node_
    };
    keep_stamp();
    group_.tell_secrets();
}

// ---------------------------------------------------------------- asked by the group

wire::group::Digest GroupMember::digest() {
    wire::group::Digest out;
    out.intent = keeper_.book().current();
    out.overrides = control::digest_of(helm_.overrides());
    if (const auto own = secrets())
        out.secrets = base::crypto::sha256_hex(
            std::to_string(own->stamp.epoch) + " " + std::to_string(own->stamp.clock) + " " +
            own->stamp.node
        );
    out.fences = base::crypto::sha256_hex(encode(helm_.fences()));
    const auto roots = control::roots_of(helm_.decisions());
    out.decision_inputs = roots.inputs;
    out.decision_tables = roots.tables;
    return out;
}

wire::group::Overrides GroupMember::overrides(const std::string& from) {
    return control::page_of(helm_.overrides(), from, Moment::now());
}

void GroupMember::take_overrides(const wire::group::Overrides& said) {
    if (!frozen_) helm_.merge_overrides(said, Moment::now());
}

std::vector<wire::group::Observation> GroupMember::observations() {
    return seams_.votes ? seams_.votes() : std::vector<wire::group::Observation>();
}

void GroupMember::take_observations(const wire::group::Observations& heard) {
    if (seams_.take_votes) seams_.take_votes(heard);
}

std::vector<wire::group::Load> GroupMember::loads() {
    return seams_.loads ? seams_.loads() : std::vector<wire::group::Load>();
}

void GroupMember::take_loads(const wire::group::Loads& heard) {
    if (seams_.take_loads) seams_.take_loads(heard);
}

std::optional<wire::group::Secrets> GroupMember::secrets() {
    auto out = seams_.secrets ? seams_.secrets() : std::nullopt;
    if (out) out->stamp = secrets_stamp_;
    return out;
}

void GroupMember::take_secrets(const wire::group::Secrets& heard) {
    if (frozen_ || !seams_.take_secrets || heard.stamp <= secrets_stamp_) return;
    secrets_stamp_ = heard.stamp;
    seams_.take_secrets(heard);
    keep_stamp();
    log::event(log::Level::info, "cookie_secrets_taken", {{"node", heard.stamp.node}});
}

wire::group::Fences GroupMember::fences() {
    return helm_.fences();
}

void GroupMember::take_fences(const wire::group::Fences& heard) {
    if (!frozen_) helm_.raise_fences(heard);
}

const std::vector<wire::group::PolicyDigest>& GroupMember::own_decisions() {
    return helm_.decisions();
}

std::optional<wire::group::IntentHeader> GroupMember::intent() {
    return keeper_.header();
}

std::string GroupMember::intent_piece(const std::string& hash, std::uint64_t offset) {
    return keeper_.piece(hash, offset);
}

bool GroupMember::wants(const wire::group::IntentHeader& header) {
    return !frozen_ && keeper_.wants(header);
}

void GroupMember::take_intent(
    const std::string& peer, const wire::group::IntentHeader& header, std::string content
) {
    if (!frozen_) keeper_.take(peer, header, std::move(content));
}

void GroupMember::note_fork(const std::string& peer, const wire::group::IntentHeader& header) {
    if (!frozen_) keeper_.note_fork(peer, header);
}

void GroupMember::surroundings_changed() {
    if (seams_.hears_other_site) seams_.hears_other_site(group_.hears_other_site());
}

control::GroupView GroupMember::view() {
    control::GroupView out;
    const auto& book = keeper_.book();
    out.configured = true;
    out.may_publish = keeper_.may_publish();
    out.author = book.author();
    out.intent = book.current();
    if (const auto& header = keeper_.header()) {
        out.operator_ = header->operator_;
        out.reason = header->reason;
    }
    out.peers = group_.peers();
    out.forks = book.forks();
    out.known = book.known();
    out.kept = keeper_.kept();
    out.refused = keeper_.refused();
    out.counters = group_.counters();
    out.digest = digest();
    return out;
}

// ---------------------------------------------------------------- stamp of the secrets

void GroupMember::read_stamp() {
    const auto text = base::file::read_state_file(stamp_file_);
    // The secrets of a first start give way to those that somebody chose, and of two such the one
    // of the greater name stays.
    secrets_stamp_ = {0, 1, node_};
    if (!text || !*text) return;
    const auto read = wire::group::decode_secrets(**text);
    if (read) secrets_stamp_ = read->stamp;
}

void GroupMember::keep_stamp() {
    // The secrets themselves lie elsewhere; here only what says how new they are.
    const auto text = encode(wire::group::Secrets{"-", "", secrets_stamp_});
    const auto kept = base::file::write_state_file(stamp_file_, text);
    if (!kept)
        log::event(
            log::Level::error,
            "state_not_saved",
            {{"what", "group secrets"}, {"cause", kept.error().message()}}
        );
}

}  // namespace twinsite::gslb
