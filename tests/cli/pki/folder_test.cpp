// SPDX-License-Identifier: Apache-2.0
#include "cli/pki/folder.hpp"

#include <filesystem>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/crypto/signature.hpp"
#include "base/crypto/trust.hpp"
#include "base/file/state_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::cli::pki {
namespace {

namespace fs = std::filesystem;
namespace crypto = base::crypto;
using std::chrono::days;

class FolderTest : public testing::Test {
protected:
    FolderTest() { EXPECT_TRUE(Folder::create(path_, "test", days(1000), now_)); }

    static crypto::Order order(const std::string& uri) {
        crypto::Order out;
        out.uri = uri;
        out.addresses = {*base::text::parse_ip("127.0.1.50")};
        return out;
    }
    Written issue(const std::string& uri, const std::string& stem) {
        auto folder = Folder::open(path_);
        return *folder->issue(order(uri), path_, stem, now_);
    }
    static std::string text(const std::string& file) {
        return base::file::read_state_file(file).value().value();
    }
    static unsigned mode(const std::string& file) {
        struct stat found{};
        EXPECT_EQ(::stat(file.c_str(), &found), 0) << file;
        return found.st_mode & 07777;
    }
    base::Result<crypto::Certificate> verify(const std::string& file, crypto::Use use) const {
        const auto trust =
            crypto::Trust::from_pem(text(path_ + "/ca.crt"), text(path_ + "/crl.pem")).value();
        return trust.verify(text(file), use, now_);
    }

    const WallTime now_ = crypto::wall_now();
    tests::TemporaryFolder home_;
    const std::string path_ = home_.file("pki");
};

TEST_F(FolderTest, AnAuthorityIsMadeOnceAndItsKeyIsSecret) {
    EXPECT_EQ(mode(path_ + "/ca.key"), 0600u);
    EXPECT_EQ(mode(path_), 0700u);
    const auto before = text(path_ + "/ca.key");
    auto again = Folder::create(path_, "test", days(10), now_);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.failure().exit, ExitCode::exit_refused);
    EXPECT_EQ(text(path_ + "/ca.key"), before);
}

TEST_F(FolderTest, WhatIsIssuedIsTrustedAndItsKeyIsSecret) {
    const auto written = issue("twinsite://east/agent/if1", "if1");
    EXPECT_EQ(written.certificate_file, path_ + "/if1.crt");
    EXPECT_EQ(mode(written.key_file), 0600u);
    EXPECT_EQ(verify(written.certificate_file, crypto::Use::tls)->uri, "twinsite://east/agent/if1");
    EXPECT_EQ(
        text(path_ + "/issued/" + written.certificate.serial + ".crt"), text(path_ + "/if1.crt")
    );
}

TEST_F(FolderTest, AFileOfAnotherIdentityIsNotOverwritten) {
    issue("twinsite://east/agent/if1", "if1");
    auto folder = Folder::open(path_);
    auto other = folder->issue(order("twinsite://west/agent/if1"), path_, "if1", now_);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.failure().exit, ExitCode::exit_refused);
    EXPECT_NE(other.failure().text.find("twinsite://east/agent/if1"), std::string::npos);
    EXPECT_TRUE(folder->issue(order("twinsite://west/agent/if1"), home_.file("west"), "if1", now_));
    EXPECT_TRUE(folder->issue(order("twinsite://east/agent/if1"), path_, "if1", now_));
}

TEST_F(FolderTest, RenewingKeepsNamesAndLifetimeAndTakesANewKey) {
    const auto old = issue("twinsite://east/agent/if1", "if1");
    const auto old_key = text(old.key_file);
    auto folder = Folder::open(path_);
    auto fresh = folder->renew(old.certificate_file, std::nullopt, now_ + days(100));
    ASSERT_TRUE(fresh) << fresh.failure().text;
    EXPECT_EQ(fresh->certificate_file, old.certificate_file);
    EXPECT_EQ(fresh->certificate.uri, old.certificate.uri);
    EXPECT_EQ(fresh->certificate.addresses, old.certificate.addresses);
    EXPECT_NE(fresh->certificate.serial, old.certificate.serial);
    EXPECT_EQ(fresh->certificate.not_after, now_ + days(465));
    EXPECT_NE(text(old.key_file), old_key);
    EXPECT_EQ(mode(old.key_file), 0600u);
    auto shorter = folder->renew(old.certificate_file, days(7), now_);
    EXPECT_EQ(shorter->certificate.not_after, now_ + days(7));
}

TEST_F(FolderTest, ACertificateOfAnotherAuthorityIsNotRenewed) {
    auto other = Folder::create(home_.file("other"), "other", days(1000), now_);
    const auto foreign =
        *other->issue(order("twinsite://east/agent/if1"), home_.file("other"), "if1", now_);
    auto folder = Folder::open(path_);
    auto renewed = folder->renew(foreign.certificate_file, std::nullopt, now_);
    ASSERT_FALSE(renewed);
    EXPECT_EQ(renewed.failure().exit, ExitCode::exit_refused);
    EXPECT_FALSE(folder->renew(path_ + "/absent.crt", std::nullopt, now_));
}

TEST_F(FolderTest, RevokingANameRevokesAllItsCertificatesAndIsKept) {
    const auto first = issue("twinsite://east/agent/if1", "if1");
    const auto second = issue("twinsite://east/agent/if1", "again");
    const auto other = issue("twinsite://east/agent/proc1", "proc1");
    {
        auto folder = Folder::open(path_);
        EXPECT_EQ(folder->revoke("if1", "keyCompromise", now_)->size(), 2u);
        EXPECT_EQ(
            folder->revoke("if1", "unspecified", now_).failure().exit, ExitCode::exit_refused
        );
    }
    EXPECT_FALSE(verify(first.certificate_file, crypto::Use::tls));
    EXPECT_FALSE(verify(second.certificate_file, crypto::Use::tls));
    EXPECT_TRUE(verify(other.certificate_file, crypto::Use::tls));
    auto folder = Folder::open(path_);
    EXPECT_EQ(folder->revoke(other.certificate.serial, "superseded", now_)->size(), 1u);
    EXPECT_FALSE(verify(first.certificate_file, crypto::Use::tls)) << "still";
    EXPECT_EQ(
        folder->renew(first.certificate_file, std::nullopt, now_).failure().exit,
        ExitCode::exit_refused
    );
    const auto list = crypto::parse_revocation_list(text(path_ + "/crl.pem")).value();
    EXPECT_EQ(list.number, 3u);
    EXPECT_EQ(list.entries.size(), 3u);
}

TEST_F(FolderTest, ANameThatSeveralHaveMustBeSaidWhole) {
    issue("twinsite://east/agent/if1", "east");
    issue("twinsite://west/agent/if1", "west");
    auto folder = Folder::open(path_);
    auto unclear = folder->revoke("if1", "unspecified", now_);
    ASSERT_FALSE(unclear);
    EXPECT_EQ(unclear.failure().exit, ExitCode::exit_usage);
    EXPECT_NE(unclear.failure().text.find("twinsite://west/agent/if1"), std::string::npos);
    EXPECT_TRUE(folder->revoke("twinsite://west/agent/if1", "unspecified", now_));
    EXPECT_FALSE(folder->revoke("nobody", "unspecified", now_));
}

TEST_F(FolderTest, ListsTheNewestOfAnIdentityFirst) {
    issue("twinsite://east/agent/if1", "if1");
    auto folder = Folder::open(path_);
    folder->renew(path_ + "/if1.crt", std::nullopt, now_ + days(1));
    folder->issue(order("twinsite://east/agent/a"), path_, "a", now_);
    auto all = folder->list();
    ASSERT_EQ(all->size(), 3u);
    EXPECT_EQ((*all)[0].certificate.uri, "twinsite://east/agent/a");
    EXPECT_GT((*all)[1].certificate.not_after, (*all)[2].certificate.not_after);
}

TEST_F(FolderTest, IsHeldByOneAtATime) {
    auto holder = Folder::open(path_);
    ASSERT_TRUE(holder);
    EXPECT_EQ(Folder::open(path_).failure().exit, ExitCode::exit_timed_out);
}

TEST_F(FolderTest, ALostOrForeignFileOfTheAuthorityIsAnError) {
    base::file::write_state_file(path_ + "/crl.pem", "nonsense").value();
    {
        auto folder = Folder::open(path_);
        EXPECT_FALSE(folder->list());
        EXPECT_FALSE(folder->revoke("if1", "unspecified", now_));
    }
    fs::remove(path_ + "/ca.key");
    EXPECT_FALSE(Folder::open(path_));
    EXPECT_FALSE(Folder::open(home_.file("absent")));
}

}  // namespace
}  // namespace twinsite::cli::pki
