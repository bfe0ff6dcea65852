// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/signature.hpp"

#include <gtest/gtest.h>

#include "base/crypto/authority.hpp"
#include "base/crypto/error.hpp"

namespace twinsite::base::crypto {
namespace {

class SignatureTest : public testing::Test {
protected:
    Issued issue(Use use) const {
        Order order;
        order.uri = "twinsite://arbiter/switchover/sw";
        order.days = std::chrono::days(1);
        order.use = use;
        return authority_.issue(order, wall_now()).value();
    }

    Authority authority_ = Authority::create("test", std::chrono::days(10), wall_now()).value();
    Issued own_ = issue(Use::signing);
    Signer signer_ = Signer::from_pem(own_.key, own_.certificate).value();
};

TEST_F(SignatureTest, HoldsForTheSameBytesOnly) {
    const auto signature = signer_.sign("restart charging").value();
    EXPECT_EQ(signature.size(), 64u);
    EXPECT_EQ(signature, signer_.sign("restart charging").value());
    EXPECT_TRUE(verify_signature("restart charging", signature, own_.certificate));
    EXPECT_EQ(
        verify_signature("restart charging!", signature, own_.certificate).error(),
        Errc::bad_signature
    );
    EXPECT_TRUE(verify_signature("", signer_.sign("").value(), own_.certificate));
}

TEST_F(SignatureTest, HoldsForTheSignersCertificateOnly) {
    const auto signature = signer_.sign("x").value();
    EXPECT_EQ(
        verify_signature("x", signature, issue(Use::signing).certificate).error(),
        Errc::bad_signature
    );
    EXPECT_EQ(
        verify_signature("x", signature, issue(Use::tls).certificate).error(), Errc::key_mismatch
    );
    EXPECT_EQ(verify_signature("x", signature, "nonsense").error(), Errc::malformed);
}

TEST_F(SignatureTest, AChangedOrCutSignatureIsRefused) {
    const auto good = signer_.sign("x").value();
    for (std::size_t i = 0; i < good.size(); ++i) {
        auto bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        EXPECT_FALSE(verify_signature("x", bad, own_.certificate)) << i;
    }
    EXPECT_FALSE(verify_signature("x", good.substr(1), own_.certificate));
    EXPECT_FALSE(verify_signature("x", good + "x", own_.certificate));
    EXPECT_FALSE(verify_signature("x", "", own_.certificate));
}

TEST_F(SignatureTest, ASignerNeedsItsOwnSigningKey) {
    const auto other = issue(Use::signing);
    EXPECT_EQ(Signer::from_pem(other.key, own_.certificate).error(), Errc::key_mismatch);
    const auto tls = issue(Use::tls);
    EXPECT_EQ(Signer::from_pem(tls.key, tls.certificate).error(), Errc::key_mismatch);
    EXPECT_EQ(Signer::from_pem("", own_.certificate).error(), Errc::malformed);
}

}  // namespace
}  // namespace twinsite::base::crypto
