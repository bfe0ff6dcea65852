// SPDX-License-Identifier: Apache-2.0
#include "probe/tls.hpp"

#include <gtest/gtest.h>

#include "probe/http.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/probe/listener.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;

Outcome run(Probe& probe, std::chrono::milliseconds limit = 5s) {
    boost::asio::io_context io;
    return tests::run_to_end(io, probe.run(limit));
}

class TlsProbeTest : public testing::Test {
protected:
    TlsProbeTest() {
        authority_.write(folder_.file("ca.pem"));
        authority_.issue(
            "server", "DNS:api.example.net", folder_.file("server.pem"), folder_.file("server.key")
        );
        at_ = server_.listen_tls({folder_.file("server.pem"), folder_.file("server.key"), ""});
    }
    /// Certificates of the test authority last a day.
    TlsAsk ask(std::string name) const {
        return {std::move(name), folder_.file("ca.pem"), true, 0};
    }
    Outcome shake(const TlsAsk& ask) const {
        TlsProbe probe({at_}, ask);
        return run(probe);
    }

    tests::TemporaryFolder folder_;
    tests::Authority authority_{"test authority"};
    base::http::RunningServer server_;
    base::net::Endpoint at_;
};

TEST_F(TlsProbeTest, AcceptsTheNameThatStandsInTheCertificate) {
    const auto outcome = shake(ask("api.example.net"));
    EXPECT_TRUE(outcome.ok) << outcome.error;
    EXPECT_GT(outcome.latency, 0us);
}

TEST_F(TlsProbeTest, AnotherNameAndAnUnknownIssuerAreBadAndSaidSo) {
    EXPECT_FALSE(shake(ask("other.example.net")).ok);
    auto unknown = ask("api.example.net");
    const tests::Authority stranger("stranger");
    stranger.write(folder_.file("stranger.pem"));
    unknown.ca = folder_.file("stranger.pem");
    const auto outcome = shake(unknown);
    EXPECT_FALSE(outcome.ok);
    EXPECT_FALSE(outcome.local_fault);
    EXPECT_NE(outcome.error.find("issuer"), std::string::npos) << outcome.error;
}

TEST_F(TlsProbeTest, WithoutVerifyingAnyIssuerWillDo) {
    auto any = ask("other.example.net");
    any.ca.clear();
    any.verify = false;
    EXPECT_TRUE(shake(any).ok) << shake(any).error;
}

TEST_F(TlsProbeTest, ACertificateThatEndsTooSoonIsBad) {
    auto long_lived = ask("api.example.net");
    long_lived.minimum_days = 30;
    const auto outcome = shake(long_lived);
    EXPECT_FALSE(outcome.ok);
    EXPECT_NE(outcome.error.find("less than 30"), std::string::npos) << outcome.error;
    long_lived.verify = false;
    EXPECT_FALSE(shake(long_lived).ok) << "its end counts whoever issued it";
}

TEST_F(TlsProbeTest, AuthoritiesThatCannotBeReadAreOurOwnFault) {
    auto broken = ask("api.example.net");
    broken.ca = folder_.file("none.pem");
    EXPECT_TRUE(shake(broken).local_fault);
}

TEST_F(TlsProbeTest, AServerThatDoesNotSpeakTlsIsBad) {
    SilentListener silent;
    TlsProbe probe({silent.at()}, ask("api.example.net"));
    EXPECT_EQ(run(probe, 50ms).error, "timed out");
    TlsProbe closed({closed_port()}, ask("api.example.net"));
    EXPECT_EQ(run(closed).error, "connection refused");
}

TEST_F(TlsProbeTest, HttpsAsksForThePathAndJudgesTheCertificate) {
    HttpAsk https;
    https.path = "/hello";
    https.expect_body = "hello";
    https.tls = ask("api.example.net");
    HttpProbe good({at_}, https);
    EXPECT_TRUE(run(good).ok);
    EXPECT_TRUE(run(good).ok) << "again, with what is kept over runs";
    https.tls->minimum_days = 30;
    HttpProbe soon({at_}, https);
    EXPECT_NE(run(soon).error.find("less than 30"), std::string::npos);
    https.tls = ask("other.example.net");
    HttpProbe stranger({at_}, https);
    EXPECT_FALSE(run(stranger).ok);
}

TEST(ValidityFault, NamesWhatIsWrongWithTheDates) {
    using std::chrono::days;
    const base::crypto::WallTime now{days(20'000)};
    base::crypto::Certificate certificate;
    certificate.not_before = now - days(10);
    certificate.not_after = now + days(10);
    EXPECT_EQ(validity_fault(certificate, now, 0), "");
    EXPECT_EQ(validity_fault(certificate, now, 10), "");
    EXPECT_EQ(
        validity_fault(certificate, now + 1s, 10), "the certificate ends in 9 days, less than 10"
    );
    EXPECT_EQ(validity_fault(certificate, now + days(11), 0), "the certificate has expired");
    EXPECT_EQ(validity_fault(certificate, now - days(11), 0), "the certificate is not valid yet");
}

}  // namespace
}  // namespace twinsite::probe
