// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/crypto/trust.hpp"
#include "base/error/result.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/control/intent_api.hpp"
#include "gslb/group/intent_book.hpp"
#include "gslb/group/intent_store.hpp"
#include "gslb/group/seal.hpp"
#include "gslb/intent.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb {

/// The published intent of this member: takes bundles of peers, and publishes what operators bring.
/// A bundle is verified, read and tested on another thread before it is committed to the disk and
/// comes into force, so that nothing that could fail fails afterwards.
class IntentKeeper {
public:
    struct Seams {
        /// Why a loaded intent cannot come into force now; empty: it can. On the loop.
        std::function<std::vector<std::string>(const LoadedIntent&)> hinders;
        /// Brings it into force. On the loop.
        std::function<void(const LoadedIntent&)> adopt;
        /// What is in force: its signatures and transferred zones are taken over. On the loop.
        std::function<std::shared_ptr<const Intent>()> in_force;
        /// There is a new version here, for the other members. On the loop.
        std::function<void()> tell;
        /// Runs the work on the loop and waits. False: the program is stopping.
        std::function<bool(const std::function<void()>&)> on_loop;
    };
    /// A refused bundle is looked at again after this time: the cause may be gone.
    static constexpr std::chrono::seconds kTryAgain{60};

    /// `config` has a group. `helm` outlives this.
    IntentKeeper(
        boost::asio::io_context& io,
        std::string config_file,
        const Config& config,
        const control::Helm& helm,
        Seams seams
    );
    ~IntentKeeper();  ///< Waits for the reading thread.
    IntentKeeper(const IntentKeeper&) = delete;
    IntentKeeper& operator=(const IntentKeeper&) = delete;

    /// Reads the book and the keys. `content` is what load_intent took; "" for none.
    base::Result<void> open(const std::string& content);

    // On the loop.
    const group::IntentBook& book() const { return book_; }
    const std::optional<wire::group::IntentHeader>& header() const { return header_; }
    /// Hash of the content in force; "" before the first.
    std::string content_hash() const { return header_ ? header_->content : std::string(); }
    bool may_publish() const { return seal_.has_value(); }
    const std::optional<control::RefusedIntent>& refused() const { return refused_; }
    std::vector<bool> kept() const;
    std::string piece(const std::string& hash, std::uint64_t offset);
    /// False for a bundle that was refused a short while ago.
    bool wants(const wire::group::IntentHeader& header) const;
    void take(
        const std::string& peer, const wire::group::IntentHeader& header, std::string content
    );
    void note_fork(const std::string& peer, const wire::group::IntentHeader& header);

    // On the API's thread.
    control::IntentOutcome check(const control::IntentRequest& request);
    control::IntentOutcome apply(const control::IntentRequest& request);
    control::IntentOutcome roll_back(
        const wire::group::IntentVersion& to, const control::IntentRequest& request
    );

private:
    struct Prepared {
        wire::group::IntentHeader header;
        LoadedIntent loaded;
        std::vector<std::string> findings;
    };
    Prepared prepare(
        wire::group::IntentHeader header,
        const std::string& content,
        const std::shared_ptr<const Intent>& previous
    ) const;
    void finish(const std::string& peer, const Prepared& prepared);
    /// Empty when it is in force now, else why not.
    std::vector<std::string> bring_into_force(const Prepared& prepared);
    void refuse(
        const std::string& peer,
        const wire::group::IntentHeader& header,
        std::vector<std::string> findings
    );
    control::IntentOutcome publish(
        const group::Files& files, const control::IntentRequest& request
    );
    bool make_header(
        const control::IntentRequest& request,
        const std::string& content,
        wire::group::IntentHeader& header,
        control::IntentOutcome& out
    );
    bool examine(
        const group::Files& files, control::IntentOutcome& out, std::shared_ptr<const Intent>& fresh
    );
    control::Difference compare(const group::Files& files, const Intent& fresh) const;
    group::Files files_in_force() const;

    // fixed after construction
    boost::asio::io_context& io_;
    const std::string config_file_;
    const std::string node_;
    const GroupConfig config_;
    const control::Helm& helm_;
    const Seams seams_;
    const group::IntentStore store_;
    // owned by the loop
    std::optional<group::Seal> seal_;
    std::optional<base::crypto::TrustFiles> trust_;
    group::IntentBook book_;
    std::optional<wire::group::IntentHeader> header_;
    std::optional<control::RefusedIntent> refused_;
    std::chrono::steady_clock::time_point refused_at_;
    std::string piece_hash_;
    std::string piece_content_;
    bool busy_ = false;
    std::thread reading_;
};

}  // namespace twinsite::gslb
