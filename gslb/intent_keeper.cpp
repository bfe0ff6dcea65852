// SPDX-License-Identifier: Apache-2.0
#include "gslb/intent_keeper.hpp"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/crypto/digest.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"
#include "gslb/golden.hpp"

namespace twinsite::gslb {

namespace log = base::log;
using control::IntentOutcome;
using control::IntentRequest;
using group::Standing;
using log::Level;
using wire::group::IntentHeader;
using wire::group::IntentVersion;
using Clock = std::chrono::steady_clock;

namespace {

std::string name_of(const IntentVersion& version) {
    return std::to_string(version.epoch) + "." + std::to_string(version.seq);
}

/// The states of one configuration's targets, carried over by name to another's.
answer::ServiceStates carry_over(
    const steering::Steering& from,
    const answer::ServiceStates& states,
    const steering::Steering& to
) {
    answer::ServiceStates out;
    for (const auto& service : to.services) {
        auto& list = out.emplace_back(service.targets.size());
        for (std::size_t s = 0; s < from.services.size(); ++s) {
            if (from.services[s].name != service.name) continue;
            for (std::size_t t = 0; t < service.targets.size(); ++t)
                for (std::size_t o = 0; o < from.services[s].targets.size(); ++o)
                    if (from.services[s].targets[o].name == service.targets[t].name)
                        list[t] = states[s][o];
        }
    }
    return out;
}

}  // namespace

IntentKeeper::IntentKeeper(
    boost::asio::io_context& io,
    std::string config_file,
    const Config& config,
    const control::Helm& helm,
    Seams seams
)
    : io_(io),
      config_file_(std::move(config_file)),
      node_(config.node),
      config_(*config.group),
      helm_(helm),
      seams_(std::move(seams)),
      store_(intent_folder(config)) {}

IntentKeeper::~IntentKeeper() {
    if (reading_.joinable()) reading_.join();
}

base::Result<void> IntentKeeper::open(const std::string& content) {
    auto trust = base::crypto::TrustFiles::open(config_.ca, config_.crl);
    if (!trust) return trust.error();
    trust_ = *std::move(trust);
    if (!config_.signing.key.empty()) {
        auto seal = group::Seal::open(config_.signing.key, config_.signing.certificate);
        if (!seal) return seal.error();
        seal_ = *std::move(seal);
    }
    auto book = store_.read_book();
    if (!book) return book.error();
    book_ = *std::move(book);
    if (content.empty()) return {};
    // What could be read is in force, even where the book names a later one.
    const auto known = book_.known();
    for (auto at = known.rbegin(); at != known.rend(); ++at) {
        const auto header = store_.header(at->version);
        if (!header || header->content != content) continue;
        header_ = *header;
        if (at != known.rbegin())
            log::event(
                Level::error,
                "intent_fell_back",
                {{"from", name_of(book_.current())}, {"to", name_of(at->version)}}
            );
        book_.fall_back_to(at->version);
        return {};
    }
    return group::Errc::missing_version;
}

std::vector<bool> IntentKeeper::kept() const {
    std::vector<bool> out;
    for (const auto& each : book_.known()) out.push_back(store_.has(each.version));
    return out;
}

std::string IntentKeeper::piece(const std::string& hash, std::uint64_t offset) {
    if (piece_hash_ != hash) {
        const auto& known = book_.known();
        const auto at = std::find_if(known.begin(), known.end(), [&](const auto& each) {
            return each.version.hash == hash;
        });
        if (at == known.end()) return "";
        auto content = store_.content(at->version);
        if (!content) return "";
        piece_hash_ = hash;
        piece_content_ = *std::move(content);
    }
    if (offset >= piece_content_.size()) return "";
    return piece_content_.substr(offset, wire::group::kIntentPartBytes);
}

// ---------------------------------------------------------------- from peers

bool IntentKeeper::wants(const IntentHeader& header) const {
    if (busy_) return false;
    const bool again = !refused_ || refused_->version != group::version_of(header) ||
                       Clock::now() - refused_at_ >= kTryAgain;
    return again;
}

void IntentKeeper::take(const std::string& peer, const IntentHeader& header, std::string content) {
    if (busy_ || book_.judge(header) != Standing::newer) return;
    const auto sealed = group::verify_seal(header, trust_->current(), base::crypto::wall_now());
    if (!sealed) return refuse(peer, header, {"signature: " + sealed.error().message()});
    busy_ = true;
    if (reading_.joinable()) reading_.join();
    reading_ = std::thread(
        [this, peer, header, content = std::move(content), previous = seams_.in_force()] {
            auto prepared = prepare(header, content, previous);
            boost::asio::post(io_, [this, peer, prepared = std::move(prepared)] {
                finish(peer, prepared);
            });
        }
    );
}

IntentKeeper::Prepared IntentKeeper::prepare(
    IntentHeader header, const std::string& content, const std::shared_ptr<const Intent>& previous
) const {
    Prepared out;
    out.header = std::move(header);
    const auto folder = store_.stage(out.header, content);
    if (!folder) {
        out.findings = {"bundle: " + folder.error().message()};
        return out;
    }
    out.loaded =
        load_intent(config_file_, SharedIntent{*folder, out.header.content}, previous.get());
    out.findings = out.loaded.findings;
    if (out.findings.empty()) out.findings = run_golden(*out.loaded.intent, *folder);
    return out;
}

void IntentKeeper::finish(const std::string& peer, const Prepared& prepared) {
    busy_ = false;
    auto findings = prepared.findings;
    if (findings.empty() && book_.judge(prepared.header) != Standing::newer) return;
    if (findings.empty()) findings = bring_into_force(prepared);
    if (!findings.empty()) refuse(peer, prepared.header, std::move(findings));
}

std::vector<std::string> IntentKeeper::bring_into_force(const Prepared& prepared) {
    if (auto why = seams_.hinders(prepared.loaded); !why.empty()) return why;
    // Another one that came into force meanwhile may have swept it away.
    if (!store_.has(group::version_of(prepared.header)))
        return {"another version came into force meanwhile"};
    auto book = book_;
    book.adopt(prepared.header);
    // From this write on the new version is the one that a restart finds.
    if (const auto kept = store_.commit(book); !kept)
        return {"the disk does not take it: " + kept.error().message()};
    book_ = std::move(book);
    header_ = prepared.header;
    refused_.reset();
    seams_.adopt(prepared.loaded);
    log::event(
        Level::warning,
        "intent_applied",
        {{"version", name_of(book_.current())},
         {"author", prepared.header.author},
         {"operator", prepared.header.operator_},
         {"reason", prepared.header.reason},
         {"content", prepared.header.content}}
    );
    for (const auto& fork : book_.forks())
        log::event(
            Level::error,
            "intent_forked",
            {{"version", name_of(fork.version)}, {"author", fork.author}, {"cause", fork.why}}
        );
    store_.prune(book_, config_.keep);
    seams_.tell();
    return {};
}

void IntentKeeper::refuse(
    const std::string& peer, const IntentHeader& header, std::vector<std::string> findings
) {
    refused_ = {group::version_of(header), peer, header.author, std::move(findings)};
    refused_at_ = Clock::now();
    for (const auto& finding : refused_->findings)
        log::event(
            Level::error,
            "intent_refused",
            {{"version", name_of(refused_->version)},
             {"peer", peer},
             {"author", header.author},
             {"finding", finding}}
        );
}

void IntentKeeper::note_fork(const std::string& peer, const IntentHeader& header) {
    // Whoever can make us write this to the disk must be one of us.
    if (!group::verify_seal(header, trust_->current(), base::crypto::wall_now())) return;
    auto book = book_;
    if (!book.note_fork(header)) return;
    book_ = std::move(book);
    log::event(
        Level::error,
        "intent_forked",
        {{"version", name_of(group::version_of(header))},
         {"author", header.author},
         {"peer", peer},
         {"cause", book_.forks().back().why}}
    );
    if (const auto kept = store_.commit(book_); !kept)
        log::event(
            Level::error, "state_not_saved", {{"what", "intent"}, {"cause", kept.error().message()}}
        );
}

// ---------------------------------------------------------------- from operators

group::Files IntentKeeper::files_in_force() const {
    if (!header_) return {};
    const auto content = store_.content(book_.current());
    if (!content) return {};
    auto files = group::unpack(*content);
    return files ? *std::move(files) : group::Files();
}

control::Difference IntentKeeper::compare(const group::Files& files, const Intent& fresh) const {
    control::Difference out;
    out.files = control::compare_files(files_in_force(), files);
    const auto& now = helm_.setup();
    const auto& then = fresh.setup;
    const auto states = carry_over(*now.steering, helm_.states(), *then.steering);
    out.answers = control::compare_answers(
        control::answer_classes(*now.steering, *now.prefixes, helm_.states(), helm_.measurements().facts()),
        control::answer_classes(*then.steering, *then.prefixes, states, helm_.measurements().facts())
    );
    return out;
}

/// Reads and tests the files, and says what they would change. False: `out` tells why not.
bool IntentKeeper::examine(
    const group::Files& files, IntentOutcome& out, std::shared_ptr<const Intent>& fresh
) {
    const auto folder = store_.stage_draft(files);
    if (!folder) {
        out.failure = "the disk does not take it: " + folder.error().message();
        return false;
    }
    std::shared_ptr<const Intent> previous;
    out.stopping = !seams_.on_loop([&] { previous = seams_.in_force(); });
    if (out.stopping) return false;
    const auto loaded = load_intent(config_file_, SharedIntent{*folder, "draft"}, previous.get());
    out.findings = loaded.findings;
    if (out.findings.empty()) out.findings = run_golden(*loaded.intent, *folder);
    // People know their folder, not ours.
    for (auto& finding : out.findings)
        if (finding.starts_with(*folder + "/")) finding.erase(0, folder->size() + 1);
    if (!out.findings.empty()) return false;
    fresh = loaded.intent;
    out.stopping = !seams_.on_loop([&] { out.difference = compare(files, *fresh); });
    return !out.stopping;
}

IntentOutcome IntentKeeper::check(const IntentRequest& request) {
    IntentOutcome out;
    std::shared_ptr<const Intent> fresh;
    examine(request.files, out, fresh);
    return out;
}

IntentOutcome IntentKeeper::apply(const IntentRequest& request) {
    return publish(request.files, request);
}

IntentOutcome IntentKeeper::roll_back(const IntentVersion& to, const IntentRequest& request) {
    IntentOutcome out;
    group::Files files;
    const auto find = [&] {
        const auto& known = book_.known();
        const auto at = std::find_if(known.rbegin(), known.rend(), [&](const auto& each) {
            const auto& version = each.version;
            return to.epoch == 0 ? version != book_.current()
                                 : version.epoch == to.epoch && version.seq == to.seq;
        });
        if (at == known.rend()) {
            out.refusal = to.epoch == 0 ? "there is no version before this one"
                                        : "version " + name_of(to) + " was never in force here";
            return;
        }
        const auto content = store_.content(at->version);
        const auto old = content ? group::unpack(*content) : content.error();
        if (old)
            files = *old;
        else
            out.refusal = "version " + name_of(at->version) + ": " + old.error().message();
    };
    out.stopping = !seams_.on_loop(find);
    if (out.stopping || !out.refusal.empty()) return out;
    return publish(files, request);
}

/// On the loop.
bool IntentKeeper::make_header(
    const IntentRequest& request,
    const std::string& content,
    IntentHeader& header,
    IntentOutcome& out
) {
    if (!seal_) {
        out.refusal = "this node has no signing key (group.signing)";
        return false;
    }
    auto next = book_.next(node_, request.take_over);
    if (auto* why = std::get_if<std::string>(&next)) {
        out.refusal = *std::move(why);
        return false;
    }
    header = std::get<IntentHeader>(std::move(next));
    header.content = base::crypto::sha256_hex(content);
    header.bytes = content.size();
    header.operator_ = request.operator_;
    header.reason = request.reason;
    if (const auto signed_now = seal_->sign(header); !signed_now)
        out.failure = "cannot sign: " + signed_now.error().message();
    return out.failure.empty();
}

IntentOutcome IntentKeeper::publish(const group::Files& files, const IntentRequest& request) {
    IntentOutcome out;
    std::shared_ptr<const Intent> fresh;
    if (!examine(files, out, fresh)) return out;
    const auto content = group::pack(files);
    if (content.size() > wire::group::kMaxIntentBytes) {
        out.findings = {make_error_code(group::Errc::too_large).message()};
        return out;
    }
    IntentHeader header;
    bool go_on = false;
    std::shared_ptr<const Intent> previous;
    out.stopping = !seams_.on_loop([&] {
        go_on = make_header(request, content, header, out);
        previous = seams_.in_force();
    });
    if (out.stopping || !go_on) return out;
    const auto prepared = prepare(header, content, previous);
    out.findings = prepared.findings;
    if (!out.findings.empty()) return out;
    out.stopping = !seams_.on_loop([&] {
        if (book_.judge(header) != Standing::newer) {
            out.refusal = "another version came into force meanwhile; look at it and try again";
            return;
        }
        out.findings = bring_into_force(prepared);
        if (out.findings.empty()) out.version = book_.known().back();
    });
    return out;
}

}  // namespace twinsite::gslb
