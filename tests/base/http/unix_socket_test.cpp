// SPDX-License-Identifier: Apache-2.0
#include "base/http/unix_socket.hpp"

#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/http/client.hpp"
#include "base/http/error.hpp"
#include "tests/base/http/running_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::base::http {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

Request hello() {
    Request out;
    out.target = "/hello";
    return out;
}

TEST(UnixSocket, ServesWithTheModeAskedForAndKnowsThePeer) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("api.sock");
    RunningServer running;
    ASSERT_TRUE(running.listen_unix(path, 0620));
    struct stat file{};
    ASSERT_EQ(::stat(path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777u, 0620u);
    const auto got = request(Target::at_unix(path), hello(), 5s);
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_EQ(got->body, "hello uid:" + std::to_string(::getuid()));
}

TEST(UnixSocket, StopRemovesTheFile) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("api.sock");
    RunningServer running;
    ASSERT_TRUE(running.listen_unix(path));
    running.loop.on_loop([&] { running.server->stop(); });
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(UnixSocket, AFileOnWhichSomebodyListensIsLeftAlone) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("api.sock");
    RunningServer first;
    ASSERT_TRUE(first.listen_unix(path));
    RunningServer second;
    const auto refused = second.listen_unix(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), asio::error::address_in_use);
    EXPECT_TRUE(request(Target::at_unix(path), hello(), 5s));
}

TEST(UnixSocket, TheFileOfADeadProcessIsReplaced) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("api.sock");
    {
        asio::io_context io;
        const auto left_behind = listen_on_unix(io.get_executor(), path, 0600);
        ASSERT_TRUE(left_behind);
    }
    ASSERT_EQ(::access(path.c_str(), F_OK), 0) << "closing a socket leaves its file";
    RunningServer running;
    ASSERT_TRUE(running.listen_unix(path));
    EXPECT_TRUE(request(Target::at_unix(path), hello(), 5s));
}

TEST(UnixSocket, AFileThatIsNoSocketIsNeverRemoved) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("precious");
    std::ofstream(path) << "data";
    RunningServer running;
    EXPECT_EQ(running.listen_unix(path).error(), Errc::bad_socket_path);
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
}

TEST(UnixSocket, TheFileOfASuccessorIsNotRemoved) {
    const tests::TemporaryFolder folder;
    const auto path = folder.file("api.sock");
    asio::io_context io;
    const auto ours = listen_on_unix(io.get_executor(), path, 0600);
    ASSERT_TRUE(ours);
    ASSERT_EQ(::unlink(path.c_str()), 0);
    const auto successor = listen_on_unix(io.get_executor(), path, 0600);
    ASSERT_TRUE(successor);
    remove_socket_file(*ours);
    EXPECT_EQ(::access(path.c_str(), F_OK), 0);
    remove_socket_file(*successor);
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(UnixSocket, APathLongerThanASocketAddressIsAnError) {
    const std::string path = "/tmp/" + std::string(103, 'x');
    EXPECT_FALSE(fits_socket_address(path));
    RunningServer running;
    EXPECT_EQ(running.listen_unix(path).error(), Errc::bad_socket_path);
    EXPECT_EQ(request(Target::at_unix(path), hello(), 1s).error(), Errc::bad_socket_path);
}

}  // namespace
}  // namespace twinsite::base::http
