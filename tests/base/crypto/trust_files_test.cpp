// SPDX-License-Identifier: Apache-2.0
#include <thread>

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
    Result<Certificate> verify(TrustFiles& files) const {
        return files.current().verify(pem_, Use::tls, wall_now());
    }
    bool becomes_refused(TrustFiles& files) const {
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (verify(files)) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(20ms);
        }
        return true;
    }

    tests::MachineCertificates pki_;
    Certificate certificate_;
    std::string pem_;
};

TEST_F(TrustFilesTest, TakesANewListByItself) {
    auto files = TrustFiles::open(pki_.file("ca.pem"), pki_.file("crl.pem")).value();
    ASSERT_TRUE(verify(files));
    pki_.revoke(certificate_);
    ASSERT_TRUE(becomes_refused(files));
    EXPECT_EQ(verify(files).error(), Errc::revoked);
}

TEST_F(TrustFilesTest, KeepsWhatItHasWhenAFileIsNoGood) {
    pki_.revoke(certificate_);
    auto files = TrustFiles::open(pki_.file("ca.pem"), pki_.file("crl.pem")).value();
    pki_.write("crl.pem", "");
    std::this_thread::sleep_for(3 * file::Watch::kPeriod);  // what it takes to be looked at
    verify(files);
    std::this_thread::sleep_for(2 * file::Watch::kPeriod);
    EXPECT_EQ(verify(files).error(), Errc::revoked);
}

TEST_F(TrustFilesTest, WorksWithoutAList) {
    auto files = TrustFiles::open(pki_.file("ca.pem"), "").value();
    EXPECT_TRUE(verify(files));
    EXPECT_FALSE(TrustFiles::open(pki_.file("absent.pem"), ""));
    EXPECT_FALSE(TrustFiles::open(pki_.file("ca.pem"), pki_.file("absent.pem")));
}

}  // namespace
}  // namespace twinsite::base::crypto
