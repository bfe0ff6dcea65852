// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/certificate.hpp"

#include <gtest/gtest.h>

#include "base/crypto/error.hpp"
#include "base/file/state_file.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::crypto {
namespace {

/// Certificates as others may make them.
class CertificateTest : public testing::Test {
protected:
    Certificate with(const std::string& names) const {
        authority_.issue("name", names, folder_.file("x.pem"), folder_.file("x.key"));
        const auto text = file::read_state_file(folder_.file("x.pem")).value().value();
        return parse_certificate(text).value();
    }

    tests::TemporaryFolder folder_;
    tests::Authority authority_{"authority"};
};

TEST_F(CertificateTest, OneUriIsTheIdentity) {
    EXPECT_EQ(with("URI:twinsite://a/agent/b,DNS:x.example").uri, "twinsite://a/agent/b");
}

TEST_F(CertificateTest, TwoUrisOrNoneAreNobody) {
    EXPECT_EQ(with("URI:twinsite://a/agent/b,URI:twinsite://a/operator/b").uri, "");
    EXPECT_EQ(with("DNS:x.example").uri, "");
    EXPECT_EQ(with("").uri, "");
}

TEST_F(CertificateTest, WhatIsNoPemIsAnError) {
    for (const auto& text :
         {std::string(),
          std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
          std::string("-----BEGIN CERTIFICATE-----\n"),
          std::string(200'000, 'A')}) {
        EXPECT_EQ(parse_certificate(text).error(), Errc::malformed);
    }
}

}  // namespace
}  // namespace twinsite::base::crypto
