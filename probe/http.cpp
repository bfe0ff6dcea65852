// SPDX-License-Identifier: Apache-2.0
#include "probe/http.hpp"

#include <algorithm>
#include <string>

#include "base/http/async_client.hpp"
#include "base/text/text.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
namespace http = base::http;

namespace {

http::Target target_of(const HttpProbe::Settings& settings) {
    auto out = http::Target::at_tcp(settings.target);
    out.host = settings.host;
    if (settings.source) out.bind = base::net::Endpoint{*settings.source, 0};
    return out;
}

http::Request request_of(const HttpProbe::Settings& settings) {
    http::Request out;
    out.target = settings.path;
    out.headers = {{"User-Agent", "twinsite-probe"}, {"Accept", "*/*"}};
    return out;
}

/// What is wrong with an answer; "" when it is the one expected.
std::string fault_of(const http::Response& answer, const HttpProbe::Settings& settings) {
    const auto& good = settings.expect_status;
    if (std::find(good.begin(), good.end(), answer.status) == good.end())
        return "status " + std::to_string(answer.status);
    if (answer.body.find(settings.expect_body) == std::string::npos)
        return "the body does not contain \"" + base::text::printable(settings.expect_body) + "\"";
    return {};
}

}  // namespace

asio::awaitable<Outcome> HttpProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    auto target = target_of(settings_);
    auto request = request_of(settings_);
    // Without a text to look for the header is enough.
    const std::size_t wanted = settings_.expect_body.empty() ? 0 : kBodyBytes;
    const auto answer = co_await http::async_request_beginning(
        std::move(target), std::move(request), limit, wanted
    );
    if (!answer) co_return watch.failed(answer.error());
    auto fault = fault_of(*answer, settings_);
    if (!fault.empty()) co_return watch.bad(std::move(fault));
    co_return watch.good();
}

}  // namespace twinsite::probe
