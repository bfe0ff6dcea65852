// SPDX-License-Identifier: Apache-2.0
// Any bytes as what gslb and slb answer to a switchover server, by HTTP and by DNS.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "switchover/execute/dns_question.hpp"
#include "switchover/execute/member_answer.hpp"

using namespace twinsite;
using namespace twinsite::switchover;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto kind : {execute::MemberKind::gslb, execute::MemberKind::slb}) {
        execute::MemberView view;
        view.member.kind = kind;
        if (!execute::read_desired_answer(text, view)) BASE_CHECK(!view.fence);
    }
    base::http::Response response;
    response.status = 409;
    response.body = std::string(text);
    constexpr std::size_t kLongest = 4 * 300;  // escaped
    BASE_CHECK(execute::explain_refusal(response).size() <= kLongest);
    static_cast<void>(execute::read_stale_fence(response));
    static_cast<void>(execute::read_release_answer(text));
    constexpr std::uint16_t kId = 0x1234;
    const auto answer = execute::decode_dns_answer({data, size}, kId, "ocs.example.net");
    if (answer) BASE_CHECK(answer->addresses.size() <= 64);
    return 0;
}
