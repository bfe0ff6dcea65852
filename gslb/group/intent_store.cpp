// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/intent_store.hpp"

#include <filesystem>
#include <set>

#include "base/crypto/digest.hpp"
#include "base/file/state_file.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {
namespace {

namespace fs = std::filesystem;
using base::file::Durability;
using wire::group::IntentHeader;
using wire::group::IntentVersion;

constexpr std::size_t kHashInName = 12;
constexpr const char* kDraft = "draft";

base::Result<void> write_files(const fs::path& folder, const Files& files, Durability durability) {
    for (const auto& [path, text] : files) {
        const auto whole = folder / path;
        std::error_code failure;
        fs::create_directories(whole.parent_path(), failure);
        if (failure) return failure;
        if (auto written = base::file::write_state_file(whole, text, durability); !written)
            return written;
    }
    return {};
}

/// Writes those that are not there as they should be: usually none.
base::Result<void> mend_files(const fs::path& folder, const Files& files) {
    Files wrong;
    for (const auto& [path, text] : files) {
        const auto now = base::file::read_state_file(folder / path);
        if (!now || !*now || **now != text) wrong.emplace(path, text);
    }
    return write_files(folder, wrong, Durability::renamed);
}

}  // namespace

IntentStore::IntentStore(std::string folder) : folder_(std::move(folder)) {}

std::string IntentStore::path(const IntentVersion& of) const {
    return folder_ + "/" + std::to_string(of.epoch) + "-" + std::to_string(of.seq) + "-" +
           of.hash.substr(0, kHashInName);
}

base::Result<IntentBook> IntentStore::read_book() const {
    const auto text = base::file::read_state_file(folder_ + "/intent.json");
    if (!text) return text.error();
    if (!*text) return IntentBook();
    return IntentBook::from_json_text(**text);
}

base::Result<IntentHeader> IntentStore::header(const IntentVersion& of) const {
    const auto text = base::file::read_state_file(path(of) + "/header.json");
    if (!text) return text.error();
    if (!*text) return Errc::missing_version;
    auto out = wire::group::decode_intent_header(**text);
    if (!out) return out;
    if (version_of(*out) != of) return Errc::wrong_content;
    return out;
}

base::Result<std::string> IntentStore::content(const IntentVersion& of) const {
    const auto known = header(of);
    if (!known) return known.error();
    auto text = base::file::read_state_file(path(of) + "/content");
    if (!text) return text.error();
    if (!*text) return Errc::missing_version;
    if (base::crypto::sha256_hex(**text) != known->content) return Errc::wrong_content;
    return **std::move(text);
}

bool IntentStore::has(const IntentVersion& of) const {
    std::error_code failure;
    return fs::exists(path(of) + "/header.json", failure);
}

std::optional<StoredIntent> IntentStore::find_good(const IntentBook& book) const {
    for (auto at = book.known().rbegin(); at != book.known().rend(); ++at) {
        if (!has(at->version)) continue;
        const auto text = content(at->version);
        if (!text) continue;
        const auto files = unpack(*text);
        if (!files) continue;
        // What was unpacked may have been changed by hand; the content is what was signed.
        const auto folder = path(at->version) + "/files";
        if (!mend_files(folder, *files)) continue;
        return StoredIntent{*header(at->version), folder};
    }
    return std::nullopt;
}

base::Result<std::string> IntentStore::stage(const IntentHeader& header, const std::string& content)
    const {
    if (base::crypto::sha256_hex(content) != header.content || content.size() != header.bytes)
        return Errc::wrong_content;
    const auto files = unpack(content);
    if (!files) return files.error();
    const auto at = path(version_of(header));
    std::error_code failure;
    fs::remove_all(at, failure);
    fs::create_directories(at, failure);
    if (failure) return failure;
    if (auto out = write_files(at + "/files", *files, Durability::renamed); !out)
        return out.error();
    if (auto out = base::file::write_state_file(at + "/content", content); !out) return out.error();
    // Last: a folder with a header is whole.
    const auto text = wire::group::encode(header);
    if (auto out = base::file::write_state_file(at + "/header.json", text); !out)
        return out.error();
    return at + "/files";
}

base::Result<std::string> IntentStore::stage_draft(const Files& files) const {
    const auto at = folder_ + "/" + kDraft;
    std::error_code failure;
    fs::remove_all(at, failure);
    fs::create_directories(at, failure);
    if (failure) return failure;
    if (auto out = write_files(at, files, Durability::renamed); !out) return out.error();
    return at;
}

base::Result<void> IntentStore::commit(const IntentBook& book) const {
    return base::file::write_state_file(folder_ + "/intent.json", book.to_json_text());
}

void IntentStore::prune(const IntentBook& book, std::size_t keep) const {
    std::set<std::string> wanted{kDraft};  // somebody may be looking at it
    const auto& known = book.known();
    for (auto at = known.rbegin(); at != known.rend() && wanted.size() <= keep; ++at)
        wanted.insert(fs::path(path(at->version)).filename());
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_, failure)) {
        const auto name = entry.path().filename().string();
        if (!entry.is_directory(failure) || wanted.contains(name)) continue;
        fs::remove_all(entry.path(), failure);
    }
}

}  // namespace twinsite::gslb::group
