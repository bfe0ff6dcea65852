// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/tls_caller.hpp"

#include <gtest/gtest.h>

#include "tests/base/http/running_server.hpp"
#include "tests/support/machine_certificates.hpp"

namespace twinsite::switchover::execute {
namespace {

using namespace std::chrono_literals;

class TlsCallerTest : public testing::Test {
protected:
    TlsCallerTest() {
        pki_.issue("server", "twinsite://east/gslb/gslb-east");
        pki_.issue("client", "twinsite://arbiter/switchover/sw");
        member_.control = running_.listen_tls(
            {pki_.file("server.crt"),
             pki_.file("server.key"),
             pki_.file("ca.pem"),
             pki_.file("crl.pem")}
        );
        member_.name = "gslb-east";
        member_.site = "east";
        caller_.emplace(
            io_.get_executor(),
            TlsFiles{
                pki_.file("client.crt"),
                pki_.file("client.key"),
                pki_.file("ca.pem"),
                pki_.file("crl.pem")
            }
        );
    }
    base::Result<base::http::Response> call() {
        base::http::Request request;
        request.target = "/hello";
        return tests::run_to_end(io_, caller_->call(member_, request, 5s));
    }

    base::http::RunningServer running_;
    tests::MachineCertificates pki_;
    boost::asio::io_context io_;
    Member member_;
    std::optional<TlsCaller> caller_;
};

TEST_F(TlsCallerTest, ShowsItsCertificateAndKeepsTheConnection) {
    for (int i = 0; i < 3; ++i) {
        const auto answer = call();
        ASSERT_TRUE(answer) << answer.error().message();
        EXPECT_EQ(answer->body, "hello twinsite://arbiter/switchover/sw");
    }
    EXPECT_EQ(running_.counters().accepted, 1u);
}

TEST_F(TlsCallerTest, MemberMustBeWhoItShouldBe) {
    member_.name = "gslb-west";
    EXPECT_FALSE(call());
    member_.name = "gslb-east";
    member_.kind = MemberKind::slb;
    EXPECT_FALSE(call());
    member_.kind = MemberKind::gslb;
    member_.site = "west";
    EXPECT_FALSE(call());
    EXPECT_EQ(running_.counters().requests, 0u);
    member_.site = "east";
    EXPECT_TRUE(call());
}

}  // namespace
}  // namespace twinsite::switchover::execute
