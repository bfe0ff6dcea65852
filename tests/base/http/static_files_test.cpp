// SPDX-License-Identifier: Apache-2.0
#include "base/http/static_files.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::http {
namespace {

namespace fs = std::filesystem;

class StaticFilesTest : public testing::Test {
protected:
    StaticFilesTest() {
        write("index.html", "<p>index</p>");
        write("app.js", "let a;");
        write("i18n/zh.js", "export default {};");
        write(".secret", "no");
        write(".git/config", "no");
        std::ofstream(outside_.file("passwd")) << "outside";
        fs::create_symlink(outside_.file("passwd"), folder_.file("link.txt"));
        fs::create_directory_symlink(outside_.path(), folder_.file("folder"));
    }
    void write(const std::string& name, const std::string& text) const {
        const fs::path file = folder_.file(name);
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    Response get(const std::string& target, const std::string& etag = {}) const {
        Request request;
        request.target = target;
        if (!etag.empty()) request.headers.emplace_back("if-none-match", etag);
        return split_target(request) ? router_.handle(request) : problem(400, "Bad", "");
    }

    tests::TemporaryFolder folder_;
    tests::TemporaryFolder outside_;
    Router router_;
};

TEST_F(StaticFilesTest, ServesEachFileUnderItsNameAndType) {
    StaticFiles::read(folder_.path()).value().add_routes(router_, {{"X-Test", "yes"}});
    EXPECT_EQ(get("/").body, "<p>index</p>");
    EXPECT_EQ(get("/index.html").content_type, "text/html; charset=utf-8");
    EXPECT_EQ(get("/app.js").content_type, "text/javascript; charset=utf-8");
    const auto nested = get("/i18n/zh.js");
    EXPECT_EQ(nested.body, "export default {};");
    EXPECT_EQ(*find_header(nested.headers, "X-Test"), "yes");
    EXPECT_NE(find_header(nested.headers, "ETag"), nullptr);
}

TEST_F(StaticFilesTest, AClientThatHasItGetsNoBody) {
    StaticFiles::read(folder_.path()).value().add_routes(router_);
    const auto first = get("/app.js");
    const auto again = get("/app.js", *find_header(first.headers, "ETag"));
    EXPECT_EQ(again.status, 304u);
    EXPECT_TRUE(again.body.empty());
    EXPECT_EQ(get("/app.js", "\"other\"").status, 200u);
}

TEST_F(StaticFilesTest, NothingOutsideTheFolderAndNothingHiddenIsServed) {
    const auto files = StaticFiles::read(folder_.path()).value();
    EXPECT_EQ(files.size(), 3u);
    files.add_routes(router_);
    for (const char* path :
         {"/link.txt",
          "/folder/passwd",
          "/.secret",
          "/.git/config",
          "/../passwd",
          "/%2e%2e/passwd",
          "/i18n/..%2fapp.js",
          "/i18n/../app.js",
          "//app.js",
          "/i18n"}) {
        EXPECT_EQ(get(path).status, 404u) << path;
    }
}

TEST_F(StaticFilesTest, AFolderThatIsNotThereIsAnError) {
    EXPECT_FALSE(StaticFiles::read(folder_.file("absent")));
}

}  // namespace
}  // namespace twinsite::base::http
