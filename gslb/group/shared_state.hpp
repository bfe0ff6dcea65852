// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/group/intent_book.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::group {

/// What the group exchanges, as the program around it has it. All calls come on the thread of the
/// group and come back soon.
class SharedState {
public:
    virtual ~SharedState() = default;

    /// Our own name.
    virtual const std::string& node() = 0;
    virtual wire::group::Digest digest() = 0;
    virtual const IntentBook& book() = 0;

    virtual wire::group::Overrides overrides(const std::string& from) = 0;
    virtual void take_overrides(const wire::group::Overrides& said) = 0;
    /// All our own votes.
    virtual std::vector<wire::group::Observation> observations() = 0;
    virtual void take_observations(const wire::group::Observations& heard) = 0;
    /// All that agents said, to us or through another member.
    virtual std::vector<wire::group::Load> loads() = 0;
    virtual void take_loads(const wire::group::Loads& heard) = 0;
    /// nullopt: this program has none.
    virtual std::optional<wire::group::Secrets> secrets() = 0;
    virtual void take_secrets(const wire::group::Secrets& heard) = 0;
    virtual wire::group::Fences fences() = 0;
    virtual void take_fences(const wire::group::Fences& heard) = 0;
    /// In order of owners.
    virtual const std::vector<wire::group::PolicyDigest>& own_decisions() = 0;

    /// The header of the intent in force; nullopt when there is none.
    virtual std::optional<wire::group::IntentHeader> intent() = 0;
    /// A piece of a version's content; empty when it is not kept.
    virtual std::string intent_piece(const std::string& hash, std::uint64_t offset) = 0;
    /// Whether to fetch a version that is newer: not while another is on its way, nor soon after it
    /// was refused.
    virtual bool wants(const wire::group::IntentHeader& header) = 0;
    /// A whole bundle of `peer`. It is verified, tested, kept and applied, or refused, later.
    virtual void take_intent(
        const std::string& peer, const wire::group::IntentHeader& header, std::string content
    ) = 0;
    virtual void note_fork(const std::string& peer, const wire::group::IntentHeader& header) = 0;

    /// The gslbs of other sites began or ceased to be heard.
    virtual void surroundings_changed() = 0;
};

}  // namespace twinsite::gslb::group
