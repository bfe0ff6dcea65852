// SPDX-License-Identifier: Apache-2.0
// Two members talk without sockets: what one says is what the other takes.
#include "gslb/group/talk.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include <gtest/gtest.h>

#include "base/crypto/digest.hpp"
#include "gslb/group/bundle.hpp"
#include "wire/group/codec.hpp"

namespace twinsite::gslb::group {
namespace {

using wire::group::Frame;
using wire::group::IntentHeader;
using wire::group::Kind;

std::string hash_of(const std::string& text) {
    return base::crypto::sha256_hex(text);
}

class FakeState final : public SharedState {
public:
    explicit FakeState(std::string name) : name_(std::move(name)) {}

    const std::string& node() override { return name_; }
    wire::group::Digest digest() override {
        wire::group::Digest out;
        out.intent = book_.current();
        out.overrides = hash_of(encode(overrides_));
        out.fences = hash_of(encode(fences_));
        if (secrets_) out.secrets = hash_of(encode(*secrets_));
        std::string tables;
        for (const auto& each : decisions_) tables += each.table;
        out.decision_tables = hash_of(tables);
        return out;
    }
    const IntentBook& book() override { return book_; }
    wire::group::Overrides overrides(const std::string& from) override {
        asked_from_.push_back(from);
        return overrides_;
    }
    void take_overrides(const wire::group::Overrides& said) override {
        // Enough of a merge for one entry.
        if (said.entries.empty()) return;
        if (overrides_.entries.empty() || overrides_.entries[0].stamp < said.entries.at(0).stamp)
            overrides_.entries = said.entries;
    }
    std::vector<wire::group::Observation> observations() override { return votes_; }
    void take_observations(const wire::group::Observations& heard) override {
        heard_.insert(heard_.end(), heard.list.begin(), heard.list.end());
    }
    std::vector<wire::group::Load> loads() override { return loads_; }
    void take_loads(const wire::group::Loads& heard) override {
        heard_loads_.insert(heard_loads_.end(), heard.list.begin(), heard.list.end());
    }
    std::optional<wire::group::Secrets> secrets() override { return secrets_; }
    void take_secrets(const wire::group::Secrets& heard) override { secrets_ = heard; }
    wire::group::Fences fences() override { return fences_; }
    void take_fences(const wire::group::Fences& heard) override {
        if (fences_.list.at(0).fence < heard.list.at(0).fence) fences_ = heard;
    }
    const std::vector<wire::group::PolicyDigest>& own_decisions() override { return decisions_; }
    std::optional<IntentHeader> intent() override { return header_; }
    std::string intent_piece(const std::string& hash, std::uint64_t offset) override {
        if (hash != book_.current().hash || offset >= content_.size()) return "";
        return content_.substr(offset, piece_bytes_);
    }
    bool wants(const IntentHeader&) override { return wants_; }
    void take_intent(const std::string&, const IntentHeader& header, std::string content) override {
        EXPECT_EQ(hash_of(content), header.content);
        book_.adopt(header);
        header_ = header;
        content_ = std::move(content);
    }
    void note_fork(const std::string& peer, const IntentHeader&) override {
        forks_.push_back(peer);
    }
    void surroundings_changed() override {}

    void publish(const std::string& text, bool take_over = false) {
        content_ = pack({{"intent.yaml", text}});
        auto header = std::get<IntentHeader>(book_.next(name_, take_over));
        header.content = hash_of(content_);
        header.bytes = content_.size();
        header.certificate = "PEM";
        header.signature = "c2ln";
        book_.adopt(header);
        header_ = header;
    }

    std::string name_;
    IntentBook book_;
    std::optional<IntentHeader> header_;
    std::string content_;
    std::size_t piece_bytes_ = 10;
    bool wants_ = true;
    wire::group::Overrides overrides_;
    std::vector<std::string> asked_from_;
    std::vector<wire::group::Observation> votes_;
    std::vector<wire::group::Observation> heard_;
    std::vector<wire::group::Load> loads_;
    std::vector<wire::group::Load> heard_loads_;
    std::optional<wire::group::Secrets> secrets_;
    wire::group::Fences fences_{{{"control", {0, 0}}}};
    std::vector<wire::group::PolicyDigest> decisions_;
    std::vector<std::string> forks_;
};

class TalkTest : public testing::Test {
protected:
    TalkTest() { connect(wire::group::kLastVersion); }

    void connect(std::uint8_t version) {
        east_peer_ = {};
        west_peer_ = {};
        east_peer_.name = "west";
        west_peer_.name = "east";
        const auto into = [version](std::deque<Frame>& queue) {
            return [version, &queue](Kind kind, std::string payload) {
                queue.push_back({version, kind, std::move(payload)});
            };
        };
        east_talk_ = std::make_unique<Talk>(east_peer_, east_, version, into(to_west_));
        west_talk_ = std::make_unique<Talk>(west_peer_, west_, version, into(to_east_));
    }
    /// Until both have nothing more to say.
    void exchange() {
        for (int rounds = 0; rounds < 1'000 && !(to_east_.empty() && to_west_.empty()); ++rounds) {
            deliver(to_east_, *east_talk_);
            deliver(to_west_, *west_talk_);
        }
        EXPECT_TRUE(to_east_.empty() && to_west_.empty()) << "they never come to an end";
    }
    void deliver(std::deque<Frame>& queue, Talk& talk) {
        while (!queue.empty()) {
            const auto frame = std::move(queue.front());
            queue.pop_front();
            kinds_.push_back(frame.kind);
            const auto taken = talk.take(frame);
            EXPECT_TRUE(taken) << taken.error().message();
        }
    }
    void compare() {
        east_talk_->say_digest();
        west_talk_->say_digest();
        exchange();
    }

    FakeState east_{"east"};
    FakeState west_{"west"};
    PeerView east_peer_;  ///< how east sees west
    PeerView west_peer_;
    std::deque<Frame> to_east_;
    std::deque<Frame> to_west_;
    std::vector<Kind> kinds_;
    std::unique_ptr<Talk> east_talk_;
    std::unique_ptr<Talk> west_talk_;
};

TEST_F(TalkTest, MembersThatAgreeSayNothingMoreThanDigests) {
    compare();
    EXPECT_EQ(kinds_, (std::vector<Kind>{Kind::digest, Kind::digest}));
}

TEST_F(TalkTest, APublishedIntentComesInPiecesAndIsWhole) {
    east_.publish("sites: [east, west]  # longer than one piece");
    compare();
    EXPECT_EQ(west_.book_.current(), east_.book_.current());
    EXPECT_EQ(west_.content_, east_.content_);
    east_.publish("the second");
    east_talk_->say_intent();
    exchange();
    EXPECT_EQ(west_.content_, east_.content_);
}

TEST_F(TalkTest, ANodeThatDoesNotWantABundleDoesNotFetchIt) {
    west_.wants_ = false;
    east_.publish("x");
    compare();
    EXPECT_EQ(west_.book_.current().epoch, 0U);
    EXPECT_EQ(std::count(kinds_.begin(), kinds_.end(), Kind::intent_part), 0);
}

TEST_F(TalkTest, ThePeersForkIsToldAndTheHigherEpochWins) {
    east_.publish("one");
    compare();
    east_.publish("east goes on");
    west_.publish("west takes over", true);
    compare();
    EXPECT_EQ(west_.forks_, std::vector<std::string>{"east"});
    EXPECT_TRUE(east_.forks_.empty());
    EXPECT_EQ(east_.content_, west_.content_);
    compare();
    EXPECT_EQ(west_.forks_.size(), 1U);
}

TEST_F(TalkTest, OverridesAreAskedForWhenTheDigestDiffers) {
    east_.overrides_.entries = {{"ocs", "b1", "down", "r", "ann", 0, {}, {0, 5, "east"}}};
    compare();
    EXPECT_EQ(west_.overrides_.entries, east_.overrides_.entries);
    EXPECT_EQ(east_.asked_from_, std::vector<std::string>{""});
}

TEST_F(TalkTest, ALongListOfOverridesIsAskedForPageByPage) {
    east_.overrides_.entries = {{"ocs", "b1", "down", "r", "ann", 0, {}, {0, 5, "east"}}};
    to_west_.push_back(
        {2, Kind::overrides, encode(wire::group::Overrides{east_.overrides_.entries, true})}
    );
    exchange();
    EXPECT_EQ(east_.asked_from_, std::vector<std::string>{"ocs\nb1"});
}

TEST_F(TalkTest, OnlyNewVotesAreTold) {
    east_.votes_ = {{"ocs/b1", "tcp@1", 1, "up", 10, 0}, {"ocs/b2", "tcp@2", 4, "down", 0, 0}};
    east_talk_->begin();
    exchange();
    EXPECT_EQ(west_.heard_.size(), 2U);
    east_.votes_[1].seq = 5;
    east_talk_->say_observations();
    exchange();
    ASSERT_EQ(west_.heard_.size(), 3U);
    EXPECT_EQ(west_.heard_[2].seq, 5U);
}

TEST_F(TalkTest, AMemberSpeaksForItselfOnly) {
    const wire::group::Observations foreign{"other", {{"ocs/b1", "tcp@1", 1, "down", 0, 0}}};
    EXPECT_FALSE(west_talk_->take({2, Kind::observations, encode(foreign)}));
    EXPECT_TRUE(west_.heard_.empty());
}

TEST_F(TalkTest, LoadsSecretsAndFencesReachTheOther) {
    east_.loads_ = {{"ocs", "b1", 80, 1, 0}};
    east_.secrets_ = {std::string(32, 'a'), "", {0, 1, "east"}};
    east_.fences_.list[0].fence = {1, 7};
    east_talk_->begin();
    west_talk_->begin();
    exchange();
    EXPECT_EQ(west_.heard_loads_, east_.loads_);
    EXPECT_EQ(west_.secrets_, east_.secrets_);
    EXPECT_EQ(west_.fences_, east_.fences_);
}

TEST_F(TalkTest, OtherAnswersAreCountedAndEqualInputsAreAnAlarm) {
    east_.decisions_ = {{"a.", "i1", "t1"}, {"b.", "i2", "t2"}, {"c.", "i3", "t3"}};
    west_.decisions_ = {{"a.", "i1", "t1"}, {"b.", "i9", "t9"}, {"c.", "i3", "t8"}};
    compare();
    EXPECT_EQ(east_peer_.other_answers, (std::vector<std::string>{"b.", "c."}));
    EXPECT_EQ(east_peer_.broken, std::vector<std::string>{"c."});
    west_.decisions_ = east_.decisions_;
    compare();
    EXPECT_TRUE(east_peer_.other_answers.empty());
    EXPECT_TRUE(east_peer_.broken.empty());
}

TEST_F(TalkTest, TheVersionBeforeIsSpokenToWithoutDecisions) {
    connect(1);
    east_.decisions_ = {{"a.", "i1", "t1"}};
    east_.publish("x");
    compare();
    EXPECT_EQ(west_.content_, east_.content_);
    EXPECT_EQ(std::count(kinds_.begin(), kinds_.end(), Kind::decisions), 0);
    EXPECT_TRUE(west_talk_->take({1, static_cast<Kind>(99), "of a newer program"}));
}

TEST_F(TalkTest, APieceThatIsTooLongEndsTheFetch) {
    east_.publish("x");
    ASSERT_TRUE(west_talk_->take({2, Kind::intent_offer, encode(*east_.header_)}));
    const wire::group::IntentPart part{east_.book_.current().hash, 0, std::string(9'999, 'x')};
    EXPECT_FALSE(west_talk_->take({2, Kind::intent_part, encode(part)}));
    EXPECT_EQ(west_.book_.current().epoch, 0U);
}

}  // namespace
}  // namespace twinsite::gslb::group
