// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/group/error.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::group {

/// What a member remembers of a version that it had in force.
struct KnownVersion {
    wire::group::IntentVersion version;
    std::string parent;
    std::string author;

    bool operator==(const KnownVersion&) const = default;
};

/// A version that does not follow from what this member has: somebody else published without
/// knowing of it. Never applied by guess.
struct Fork {
    wire::group::IntentVersion version;
    std::string author;
    std::string why;

    bool operator==(const Fork&) const = default;
};

/// How an offered version stands to the one in force.
enum class Standing : std::uint8_t {
    same,
    newer,    ///< may be applied
    older,    ///< the peer is behind
    forked,   ///< refused
    too_new,  ///< for newer programs only
};
const char* to_string(Standing standing);

/// The versions of the intent as one member knows them, and the rules of who may publish: one
/// author in an epoch; who takes the authorship over raises the epoch, and what the old author
/// publishes after that is a fork. A value; its owner keeps it on disk.
class IntentBook {
public:
    /// {0,0} before the first.
    wire::group::IntentVersion current() const;
    /// Of the version in force; "" before the first.
    std::string author() const;
    /// Oldest first; the last is in force.
    const std::vector<KnownVersion>& known() const { return known_; }
    const std::vector<Fork>& forks() const { return forks_; }

    Standing judge(const wire::group::IntentHeader& header) const;
    /// The same from a digest, which knows neither parent nor author. `newer` may turn out to be a
    /// fork when the header is there.
    Standing judge(const wire::group::IntentVersion& version) const;

    /// The header of the next version without content and signature, or why `node` may not publish
    /// one. `take_over` raises the epoch when another node is the author.
    std::variant<wire::group::IntentHeader, std::string> next(
        const std::string& node, bool take_over
    ) const;

    /// `header` is in force from now on. Forks noted before are settled by it; when it does not
    /// follow from the version in force until now, that one is noted as a fork.
    void adopt(const wire::group::IntentHeader& header);
    /// What came after `version`, which is known, is lost; that one is in force again.
    void fall_back_to(const wire::group::IntentVersion& version);
    /// True when it was not noted yet.
    bool note_fork(const wire::group::IntentHeader& header);

    std::string to_json_text() const;
    /// Errors: bad_book.
    static base::Result<IntentBook> from_json_text(std::string_view text);

    bool operator==(const IntentBook&) const = default;

    /// Remembered versions; older ones count as older without a look at their hash.
    static constexpr std::size_t kMostKnown = 1'000;
    static constexpr std::size_t kMostForks = 20;

private:
    bool knows(const std::string& hash) const;

    std::vector<KnownVersion> known_;
    std::vector<Fork> forks_;
};

/// What a digest calls a version: hash over wire::group::signed_text.
wire::group::IntentVersion version_of(const wire::group::IntentHeader& header);

}  // namespace twinsite::gslb::group
