// SPDX-License-Identifier: Apache-2.0
#include "probe/radius.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "base/crypto/md5.hpp"
#include "base/text/text.hpp"
#include "tests/probe/datagram_server.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::probe {
namespace {

using namespace std::chrono_literals;
using Bytes = DatagramServer::Bytes;

const std::string kSecret = "xyzzy5461";

Bytes from_hex(std::string_view hex) {
    Bytes out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(
            static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16))
        );
    return out;
}

/// RFC 5997 section 6.1: the request (with its Message-Authenticator) and the reply.
const Bytes kRequest =
    from_hex("0cda00268a54f4686fb394c52866e302185d062350125a665e2e1e8411f3e243822097c84fa3");
const Bytes kReply = from_hex("02da0014ef0d552a4bf2d693ec2b6fe8b5411d66");

Bytes sign(Bytes reply, std::span<const std::uint8_t> request, const std::string& secret) {
    auto hashed = reply;
    std::copy_n(request.begin() + 4, 16, hashed.begin() + 4);
    hashed.insert(hashed.end(), secret.begin(), secret.end());
    const auto digest = base::crypto::md5(hashed).value();
    std::copy(digest.begin(), digest.end(), reply.begin() + 4);
    return reply;
}

/// An answer of a server with `secret`; with `authenticator` also a Message-Authenticator.
Bytes answer(
    std::span<const std::uint8_t> request,
    std::uint8_t code,
    const std::string& secret,
    bool authenticator
) {
    Bytes out{code, request[1], 0, 20};
    out.insert(out.end(), request.begin() + 4, request.begin() + 20);
    if (authenticator) {
        out[3] = 38;
        out.insert(out.end(), {80, 18});
        out.resize(38);
        const std::span<const std::uint8_t> key(
            reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size()
        );
        const auto digest = base::crypto::hmac_md5(key, out).value();
        std::copy(digest.begin(), digest.end(), out.begin() + 22);
    }
    return sign(out, request, secret);
}

TEST(RadiusStatus, MakesAndAcceptsTheExampleOfTheRfc) {
    wire::radius::Authenticator random{};
    std::copy_n(kRequest.begin() + 4, 16, random.begin());
    EXPECT_EQ(make_status_request(0xDA, random, kSecret), kRequest);
    EXPECT_EQ(status_reply_fault(kReply, kRequest, kSecret, false), "");
    EXPECT_EQ(
        status_reply_fault(kReply, kRequest, kSecret, true),
        "a reply without Message-Authenticator came"
    );
}

TEST(RadiusStatus, RefusesWhatDoesNotProveItself) {
    EXPECT_EQ(
        status_reply_fault(kReply, kRequest, "another", false),
        "a reply came from somebody who does not know the secret"
    );
    for (std::size_t i = 0; i < kReply.size(); ++i) {
        auto changed = kReply;
        changed[i] ^= 0x40;
        EXPECT_NE(status_reply_fault(changed, kRequest, kSecret, false), "") << i;
    }
}

TEST(RadiusStatus, ChecksAMessageAuthenticatorThatIsThere) {
    const auto good = answer(kRequest, 5, kSecret, true);
    EXPECT_EQ(status_reply_fault(good, kRequest, kSecret, true), "");
    auto wrong = good;
    wrong[30] ^= 1;
    wrong = sign(wrong, kRequest, kSecret);
    EXPECT_EQ(
        status_reply_fault(wrong, kRequest, kSecret, false),
        "a reply with a wrong Message-Authenticator came"
    );
    EXPECT_EQ(
        status_reply_fault(answer(kRequest, 3, kSecret, true), kRequest, kSecret, true),
        "a reply with code 3 came"
    );
}

class RadiusProbeTest : public testing::Test {
protected:
    RadiusProbeTest() { std::ofstream(folder_.file("secret")) << kSecret << "\n"; }
    Outcome run(const base::net::Endpoint& at, std::chrono::milliseconds limit = 5s) const {
        RadiusProbe probe({at}, {folder_.file("secret"), false});
        boost::asio::io_context io;
        return tests::run_to_end(io, probe.run(limit));
    }
    tests::TemporaryFolder folder_;
};

TEST_F(RadiusProbeTest, IsAnsweredByAServerThatKnowsTheSecret) {
    DatagramServer server([](auto request) {
        return std::vector<Bytes>{answer(request, 2, kSecret, true)};
    });
    const auto outcome = run(server.at());
    EXPECT_TRUE(outcome.ok) << outcome.error;
}

TEST_F(RadiusProbeTest, WaitsPastStrangersAndNamesThemWhenNobodyElseComes) {
    DatagramServer both([](auto request) {
        return std::vector<Bytes>{
            answer(request, 2, "guess", false), answer(request, 2, kSecret, false)
        };
    });
    EXPECT_TRUE(run(both.at()).ok);
    DatagramServer stranger([](auto request) {
        return std::vector<Bytes>{answer(request, 2, "guess", false)};
    });
    EXPECT_EQ(
        run(stranger.at(), 50ms).error,
        "timed out; a reply came from somebody who does not know the secret"
    );
}

TEST_F(RadiusProbeTest, WithoutASecretItIsOurOwnFault) {
    RadiusProbe probe({{base::text::IpAddress::from_v4(0x7F000001), 1}}, {"/none", false});
    boost::asio::io_context io;
    EXPECT_TRUE(tests::run_to_end(io, probe.run(1s)).local_fault);
}

}  // namespace
}  // namespace twinsite::probe
