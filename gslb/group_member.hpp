// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gslb/control/helm.hpp"
#include "gslb/control/intent_api.hpp"
#include "gslb/group/group.hpp"
#include "gslb/group/shared_state.hpp"
#include "gslb/intent_keeper.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb {

/// This program as a member of its group: gives the group what the other parts know, and the other
/// parts what the group hears. Everything on the loop.
class GroupMember final : public group::SharedState {
public:
    struct Seams {
        std::function<std::vector<wire::group::Observation>()> votes;
        std::function<void(const wire::group::Observations&)> take_votes;
        /// Whether a gslb of another site is heard; nullopt: there is none in the group.
        std::function<void(std::optional<bool>)> hears_other_site;
        std::function<std::vector<wire::group::Load>()> loads;
        std::function<void(const wire::group::Loads&)> take_loads;
        /// The secrets without their stamp; nullopt: none to share.
        std::function<std::optional<wire::group::Secrets>()> secrets;
        std::function<void(const wire::group::Secrets&)> take_secrets;
    };

    /// `config` has a group. `helm` outlives this. All seams may be empty.
    GroupMember(
        boost::asio::io_context& io,
        const std::string& config_file,
        const Config& config,
        control::Helm& helm,
        Seams seams,
        IntentKeeper::Seams keeper_seams
    );
    ~GroupMember() override;

    /// `content`: of the intent that was loaded. Errors: those of Group and IntentKeeper.
    base::Result<void> open(const std::string& content);
    base::Result<void> connect();
    void stop();
    /// While a successor starts nothing is taken from others: it has read the state already.
    void freeze(bool frozen) { frozen_ = frozen; }

    void tell_override(const control::Override& entry);
    void tell_observations();
    void tell_fences();
    /// An operator changed the cookie secrets here.
    void secrets_changed();

    IntentKeeper& keeper() { return keeper_; }
    control::GroupView view();

    const std::string& node() override { return node_; }
    wire::group::Digest digest() override;
    const group::IntentBook& book() override { return keeper_.book(); }
    wire::group::Overrides overrides(const std::string& from) override;
    void take_overrides(const wire::group::Overrides& said) override;
    std::vector<wire::group::Observation> observations() override;
    void take_observations(const wire::group::Observations& heard) override;
    std::vector<wire::group::Load> loads() override;
    void take_loads(const wire::group::Loads& heard) override;
    std::optional<wire::group::Secrets> secrets() override;
    void take_secrets(const wire::group::Secrets& heard) override;
    wire::group::Fences fences() override;
    void take_fences(const wire::group::Fences& heard) override;
    const std::vector<wire::group::PolicyDigest>& own_decisions() override;
    std::optional<wire::group::IntentHeader> intent() override;
    std::string intent_piece(const std::string& hash, std::uint64_t offset) override;
    bool wants(const wire::group::IntentHeader& header) override;
    void take_intent(
        const std::string& peer, const wire::group::IntentHeader& header, std::string content
    ) override;
    void note_fork(const std::string& peer, const wire::group::IntentHeader& header) override;
    void surroundings_changed() override;

private:
    void read_stamp();
    void keep_stamp();

    const std::string node_;
    const std::string stamp_file_;
    control::Helm& helm_;
    const Seams seams_;
    IntentKeeper keeper_;
    bool frozen_ = false;
    wire::group::Stamp secrets_stamp_;  ///< of the cookie secrets that we have
    group::Group group_;
};

}  // namespace twinsite::gslb
