// SPDX-License-Identifier: Apache-2.0
#include "base/http/router.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace twinsite::base::http {
namespace {

Handler says(const std::string& text) {
    return [text](const Request&, const PathParameters&) {
        Response out;
        out.body = text;
        return out;
    };
}

Response ask(const Router& router, const std::string& method, const std::string& target) {
    Request request;
    request.method = method;
    request.target = target;
    split_target(request);
    return router.handle(request);
}

TEST(Router, FindsByMethodAndPathAndIgnoresTheQuery) {
    Router router;
    router.add("GET", "/a", says("get"));
    router.add("PUT", "/a", says("put"));
    EXPECT_EQ(ask(router, "GET", "/a?x=1").body, "get");
    EXPECT_EQ(ask(router, "PUT", "/a").body, "put");
}

TEST(Router, GivesParametersDecodedAfterTheSplit) {
    Router router;
    router.add("PUT", "/o/{service}/{target}", [](const Request&, const PathParameters& path) {
        Response out;
        out.body = path["service"] + "|" + path["target"];
        return out;
    });
    EXPECT_EQ(ask(router, "PUT", "/o/ocs/site:east").body, "ocs|site:east");
    EXPECT_EQ(ask(router, "PUT", "/o/a%2Fb/c%20d").body, "a/b|c d");
    EXPECT_EQ(ask(router, "PUT", "/o//x").status, 404u) << "a parameter is never empty";
    EXPECT_EQ(ask(router, "PUT", "/o/a/b/c").status, 404u);
}

TEST(Router, PrefersTheLiteralSegmentWhateverTheOrder) {
    Router router;
    router.add("GET", "/b/{name}", says("parameter"));
    router.add("GET", "/b/all", says("literal"));
    EXPECT_EQ(ask(router, "GET", "/b/all").body, "literal");
    EXPECT_EQ(ask(router, "GET", "/b/other").body, "parameter");
}

TEST(Router, AnswersUnknownPathsAndWrongMethodsWithProblems) {
    Router router;
    router.add("PUT", "/a", says(""));
    router.add("DELETE", "/a", says(""));
    const auto missing = ask(router, "GET", "/nothing");
    EXPECT_EQ(missing.status, 404u);
    EXPECT_EQ(missing.content_type, "application/problem+json");
    const auto wrong = ask(router, "GET", "/a");
    EXPECT_EQ(wrong.status, 405u);
    ASSERT_NE(find_header(wrong.headers, "Allow"), nullptr);
    EXPECT_EQ(*find_header(wrong.headers, "Allow"), "DELETE, PUT");
}

TEST(Router, ServesHeadByGet) {
    Router router;
    router.add("GET", "/a", says("body"));
    EXPECT_EQ(ask(router, "HEAD", "/a").status, 200u);
}

TEST(Router, TurnsAnExceptionOfAHandlerInto500) {
    Router router;
    router.add("GET", "/a", [](const Request&, const PathParameters&) -> Response {
        throw std::runtime_error("secret");
    });
    const auto out = ask(router, "GET", "/a");
    EXPECT_EQ(out.status, 500u);
    EXPECT_EQ(out.body.find("secret"), std::string::npos);
}

TEST(RouterDeathTest, AskingForAParameterThatThePatternLacksAborts) {
    const PathParameters none;
    EXPECT_DEATH(static_cast<void>(none["x"]), "found");
}

}  // namespace
}  // namespace twinsite::base::http
