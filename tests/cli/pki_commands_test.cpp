// SPDX-License-Identifier: Apache-2.0
#include "cli/pki_commands.hpp"

#include <filesystem>

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "base/crypto/signature.hpp"
#include "base/file/state_file.hpp"
#include "cli/command_line.hpp"
#include "cli/output/value.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::cli {
namespace {

struct Outcome {
    int exit = -1;
    std::string out;
    std::string err;
};

class PkiCommands : public testing::Test {
protected:
    /// `twinsite pki COMMAND DIR words...`
    Outcome pki(const std::string& command, std::vector<std::string> words = {}) const {
        words.insert(words.begin(), {"twinsite", "pki", command, path_});
        std::vector<char*> arguments;
        for (auto& word : words) arguments.push_back(word.data());
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        Outcome out;
        out.exit = run(static_cast<int>(arguments.size()), arguments.data());
        out.out = testing::internal::GetCapturedStdout();
        out.err = testing::internal::GetCapturedStderr();
        return out;
    }
    bool there(const std::string& file) const {
        return std::filesystem::exists(path_ + "/" + file);
    }
    std::string text(const std::string& file) const {
        return base::file::read_state_file(path_ + "/" + file).value().value();
    }

    tests::TemporaryFolder home_;
    const std::string path_ = home_.file("pki");
};

TEST_F(PkiCommands, TheWholeStoryOfACertificate) {
    EXPECT_EQ(pki("init", {"--name", "Example"}).exit, 0);
    const auto issued =
        pki("issue",
            {"twinsite://east/gslb/g1", "--ip", "127.0.1.10", "--ip", "::1", "--dns", "g1"});
    EXPECT_EQ(issued.exit, 0) << issued.err;
    EXPECT_TRUE(there("g1.crt") && there("g1.key"));
    EXPECT_EQ(pki("renew", {"g1"}).exit, 0);
    EXPECT_EQ(pki("revoke", {"g1", "--reason", "superseded"}).exit, 0);
    const auto shown = pki("show");
    EXPECT_EQ(shown.exit, 0);
    EXPECT_NE(shown.out.find("revoked"), std::string::npos);
    EXPECT_EQ(shown.out.find("valid"), std::string::npos);
    EXPECT_EQ(pki("renew", {"g1"}).exit, 4);
}

TEST_F(PkiCommands, ASwitchoverGetsItsSigningCertificateToo) {
    pki("init");
    EXPECT_EQ(pki("issue", {"twinsite://arbiter/switchover/sw", "--signing"}).exit, 0);
    EXPECT_TRUE(base::crypto::Signer::from_pem(text("sw.sign.key"), text("sw.sign.crt")));
    const auto before = text("sw.sign.crt");
    EXPECT_EQ(pki("renew", {"sw"}).exit, 0);
    EXPECT_NE(text("sw.sign.crt"), before);
    EXPECT_EQ(pki("issue", {"twinsite://east/gslb/g1", "--signing"}).exit, 2);
}

TEST_F(PkiCommands, ShowsWhatEndsSoonAsJson) {
    pki("init");
    pki("issue", {"twinsite://east/agent/long"});
    pki("issue", {"twinsite://east/agent/short", "--days", "5"});
    const auto shown = pki("show", {"--expiring", "30d", "-o", "json"});
    const auto body = output::parse_body(shown.out);
    const auto certificates = output::elements(output::member(body, "certificates"));
    ASSERT_EQ(certificates.size(), 1u);
    EXPECT_EQ(output::text_at(*certificates[0], "identity"), "twinsite://east/agent/short");
    EXPECT_EQ(output::text_at(*certificates[0], "state"), "ends soon");
    EXPECT_EQ(pki("show", {"--expiring", "soon"}).exit, 2);
}

TEST_F(PkiCommands, BadWordsAreRefusedAndNothingIsWritten) {
    pki("init");
    for (const char* identity :
         {"",
          "if1",
          "twinsite://east/agent",
          "twinsite://east/king/if1",
          "twinsite://E/agent/if1",
          "twinsite://east/agent/if1/x",
          "http://east/agent/if1"}) {
        EXPECT_EQ(pki("issue", {identity}).exit, 2) << identity;
    }
    const std::string good = "twinsite://east/agent/if1";
    EXPECT_EQ(pki("issue", {good, "--ip", "if1.example"}).exit, 2);
    EXPECT_EQ(pki("issue", {good, "--dns", "a,URI:twinsite://east/operator/x"}).exit, 2);
    EXPECT_EQ(pki("issue", {good, "--file", "../if1"}).exit, 2);
    EXPECT_EQ(pki("issue", {good, "--file", "ca"}).exit, 2);
    EXPECT_EQ(pki("issue", {good, "--days", "99999"}).exit, 2);
    EXPECT_EQ(pki("issue", {good, "--days", "9999"}).exit, 2) << "longer than the authority";
    EXPECT_EQ(pki("revoke", {"if1", "--reason", "mood"}).exit, 2);
    EXPECT_FALSE(there("if1.crt"));
    EXPECT_TRUE(std::filesystem::is_empty(path_ + "/issued"));
}

TEST_F(PkiCommands, FailuresAreProblemsInJson) {
    const auto failed = pki("show", {"-o", "json"});
    EXPECT_EQ(failed.exit, 1);
    EXPECT_EQ(output::text_at(output::parse_body(failed.out), "status"), "500");
    pki("init");
    const auto again = pki("init", {"-o", "json"});
    EXPECT_EQ(again.exit, 4);
    EXPECT_EQ(output::text_at(output::parse_body(again.out), "status"), "409");
}

}  // namespace
}  // namespace twinsite::cli
