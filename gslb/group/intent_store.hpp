// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "gslb/group/bundle.hpp"
#include "gslb/group/intent_book.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::group {

/// One version as it lies on the disk.
struct StoredIntent {
    wire::group::IntentHeader header;
    std::string folder;  ///< where its files lie
};

/// The intents on disk, under FOLDER: EPOCH-SEQ-HASH/ with header.json, content and files/, and
/// intent.json, the book. A version counts only once the book names it, and the book is replaced
/// in one step: killed at any moment, the old or the new version is found, never a mixture.
class IntentStore {
public:
    explicit IntentStore(std::string folder);

    /// The book; an empty one when there is none. Errors: bad_book, or the system's.
    base::Result<IntentBook> read_book() const;
    /// Newest first of those in `book` that are whole on the disk; nullopt when there is none.
    std::optional<StoredIntent> find_good(const IntentBook& book) const;

    /// Writes a version and brings it to the disk. It is not in force yet. Returns its folder of
    /// files. Errors: wrong_content, those of unpack, or the system's.
    base::Result<std::string> stage(
        const wire::group::IntentHeader& header, const std::string& content
    ) const;
    /// Files that only somebody wants to look at; the next call replaces them. Not synced.
    base::Result<std::string> stage_draft(const Files& files) const;
    /// From here on what is last in `book` is in force.
    base::Result<void> commit(const IntentBook& book) const;
    /// Removes all but the newest `keep` versions of `book`, and what is not in it.
    void prune(const IntentBook& book, std::size_t keep) const;

    /// Errors: missing_version, wrong_content, or the system's.
    base::Result<wire::group::IntentHeader> header(const wire::group::IntentVersion& of) const;
    base::Result<std::string> content(const wire::group::IntentVersion& of) const;
    /// Whether a version is on the disk.
    bool has(const wire::group::IntentVersion& of) const;

private:
    std::string path(const wire::group::IntentVersion& of) const;

    std::string folder_;
};

}  // namespace twinsite::gslb::group
