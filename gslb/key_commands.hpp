// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gslb/control/keys_api.hpp"
#include "gslb/intent.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb {

/// Carries out what operators say about keys: reads the book on the disk, takes the step, tries it,
/// writes it. On the loop's thread.
class KeyCommands {
public:
    /// `intent` gives what is in force; `sign_again` has its zones signed by the books on the disk.
    KeyCommands(std::function<const Intent&()> intent, std::function<void()> sign_again)
        : intent_(std::move(intent)), sign_again_(std::move(sign_again)) {}

    std::vector<control::KeyView> list() const;
    /// Empty, or why not.
    std::string command(const wire::dns::Name& zone, const control::KeyCommand& command) const;
    /// Takes the steps of automatic changes whose time has come. True: there were some.
    bool take_due_steps();
    /// Whether a signature wants to be made anew. At most once in kRefreshPause.
    bool is_refresh_due();

private:
    /// Signatures become due one after the other; so many at a time are made together.
    static constexpr zone::UnixTime kRefreshPause = 3'600;
    /// After a step that could not be taken.
    static constexpr zone::UnixTime kStepPause = 60;

    std::string carry_out(const SignedPart& part, const control::KeyCommand& command) const;

    const std::function<const Intent&()> intent_;
    const std::function<void()> sign_again_;
    zone::UnixTime refreshed_ = 0;
    zone::UnixTime step_failed_ = 0;
};

}  // namespace twinsite::gslb
