// SPDX-License-Identifier: Apache-2.0
#include "switchover/execute/tls_caller.hpp"

#include <map>
#include <utility>
#include <vector>

#include "base/http/connection.hpp"
#include "base/text/ip.hpp"
#include "switchover/execute/member_answer.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::switchover::execute {

namespace asio = boost::asio;
namespace http = base::http;

/// Connections that nobody uses now, by member. Calls overlap seldom, so there are one or two.
struct TlsCaller::Idle {
    std::map<std::string, std::vector<std::unique_ptr<http::Connection>>> by_member;

    std::unique_ptr<http::Connection> take(const std::string& member) {
        auto& list = by_member[member];
        if (list.empty()) return nullptr;
        auto out = std::move(list.back());
        list.pop_back();
        return out;
    }
    void give_back(const std::string& member, std::unique_ptr<http::Connection> connection) {
        constexpr std::size_t kKept = 2;
        auto& list = by_member[member];
        if (list.size() < kKept) list.push_back(std::move(connection));
    }
};

namespace {

http::Target target_of(const Member& member, const TlsFiles& files) {
    auto out = http::Target::at_tcp(member.control);
    http::TlsClient tls;
    tls.ca = files.ca;
    tls.certificate = files.certificate;
    tls.key = files.key;
    tls.crl = files.crl;
    tls.server_name = base::text::to_string(member.control.address);
    const wire::contract::Identity wanted{
        member.site, member.kind == MemberKind::gslb ? "gslb" : "slb", member.name
    };
    tls.accept_identity = [uri = wire::contract::to_uri(wanted)](std::string_view shown) {
        return shown == uri;
    };
    out.tls = std::move(tls);
    return out;
}

}  // namespace

TlsCaller::TlsCaller(asio::any_io_executor thread, TlsFiles files)
    : thread_(std::move(thread)), files_(std::move(files)), idle_(std::make_shared<Idle>()) {}

TlsCaller::~TlsCaller() = default;

asio::awaitable<base::Result<http::Response>> TlsCaller::call(
    const Member& member, http::Request request, std::chrono::milliseconds limit
) {
    const auto idle = idle_;
    const auto name = member.name;
    auto connection = idle->take(name);
    if (!connection)
        connection = std::make_unique<http::Connection>(thread_, target_of(member, files_));
    auto work = connection->send(std::move(request), limit, kMaxAnswerBytes);
    auto answer = co_await std::move(work);
    if (answer) idle->give_back(name, std::move(connection));
    co_return answer;
}

}  // namespace twinsite::switchover::execute
