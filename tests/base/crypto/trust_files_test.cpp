// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <gtest/gtest.h>

#include "base/crypto/error.hpp"
#include "base/crypto/trust.hpp"
#include "tests/support/machine_certificates.hpp"

namespace twinsite::base::crypto {
namespace {

using namespace std::chrono_literals;

class TrustFilesTest : public testing::Test {
protected:
    TrustFilesTest() : certificate_(pki_.issue("sw", "twinsite://arbiter/switchover/sw")) {
        pem_ = file::read_state_file(pki_.file("sw.crt")).value().value();
    }
    /// By the files as they are now, which have been at rest for long.
    Result<Certificate> verify(TrustFiles& files) {
        now_ += 2min;
        return files.current(now_, std::chrono::system_clock::now() + 10s)
            .verify(pem_, Use::tls, wall_now());
    }

    std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
    tests::MachineCertificates pki_;
    Certificate certificate_;
    std::string pem_;
};

TEST_F(TrustFilesTest, TakesANewListByItself) {
    auto files = TrustFiles::open(pki_.file("ca.pem"), pki_.file("crl.pem")).value();
    ASSERT_TRUE(verify(files));
    pki_.revoke(certificate_);
    EXPECT_EQ(verify(files).error(), Errc::revoked);
}

TEST_F(TrustFilesTest, KeepsWhatItHasWhenAFileIsNoGood) {
    pki_.revoke(certificate_);
    auto files = TrustFiles::open(pki_.file("ca.pem"), pki_.file("crl.pem")).value();
    pki_.write("crl.pem", "");
    EXPECT_EQ(verify(files).error(), Errc::revoked);
}

TEST_F(TrustFilesTest, AnOlderListIsNotTaken) {
    const auto before = file::read_state_file(pki_.file("crl.pem")).value().value();
    pki_.revoke(certificate_);
    auto files = TrustFiles::open(pki_.file("ca.pem"), pki_.file("crl.pem")).value();
    pki_.write("crl.pem", before);
    EXPECT_EQ(verify(files).error(), Errc::revoked);
}

TEST_F(TrustFilesTest, TheNumberOfAListSaysWhetherItGoesBackAndElseItsTime) {
    const WallTime noon{std::chrono::hours(12)};
    const ListAge known{"key", "FF", noon};
    EXPECT_TRUE(goes_back({{"key", "FE", noon + 1s}}, {known}));
    EXPECT_FALSE(goes_back({{"key", "100", noon - 1s}}, {known}));
    EXPECT_FALSE(goes_back({known}, {known}));
    EXPECT_TRUE(goes_back({{"key", "FF", noon - 1s}}, {known}));
    EXPECT_TRUE(goes_back({{"key", "", noon - 1s}}, {known}));
    EXPECT_FALSE(goes_back({{"key", "", noon}}, {known}));
    EXPECT_FALSE(goes_back({{"another key", "1", noon - 1s}}, {known}));
    EXPECT_FALSE(goes_back({}, {known}));
}

TEST_F(TrustFilesTest, WorksWithoutAList) {
    auto files = TrustFiles::open(pki_.file("ca.pem"), "").value();
    EXPECT_TRUE(verify(files));
    EXPECT_FALSE(TrustFiles::open(pki_.file("absent.pem"), ""));
    EXPECT_FALSE(TrustFiles::open(pki_.file("ca.pem"), pki_.file("absent.pem")));
}

}  // namespace
}  // namespace twinsite::base::crypto
