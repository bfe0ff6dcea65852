// SPDX-License-Identifier: Apache-2.0
#include "gslb/handover.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_category.hpp>
#include <spawn.h>
#include <unistd.h>

#include "base/http/unix_socket.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::gslb {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

constexpr std::size_t kMostLineBytes = 128;
constexpr std::size_t kMostCounts = 1000;
constexpr std::size_t kMostSockets = 4096;
/// The kernel takes at most 253 in one message (SCM_MAX_FD).
constexpr std::size_t kSocketsPerMessage = 200;
/// How long either side waits for a step of the other.
constexpr int kPatience_ms = 10'000;

base::Error last_error() {
    return {errno, boost::system::system_category()};
}

base::Error protocol_error() {
    return {EPROTO, boost::system::system_category()};
}

bool send_sockets(int talk, std::span<const int> numbers) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kSocketsPerMessage)> control{};
    char mark = 'S';
    iovec part{&mark, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * numbers.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * numbers.size());
    std::memcpy(CMSG_DATA(header), numbers.data(), sizeof(int) * numbers.size());
    return ::sendmsg(talk, &message, MSG_NOSIGNAL) == 1;
}

/// One message of sockets, appended to `out`.
base::Result<void> receive_sockets(int talk, std::vector<server::Socket>& out) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kSocketsPerMessage)> control{};
    char mark = 0;
    iovec part{&mark, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(talk, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return last_error();
    if (got == 0) return protocol_error();
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            out.emplace_back(number);
        }
    }
    return {};
}

/// A line without its end, byte by byte: what follows may carry sockets.
base::Result<std::string> read_line(int talk) {
    std::string out;
    for (char byte = 0; out.size() <= kMostLineBytes; out += byte) {
        const ssize_t got = ::recv(talk, &byte, 1, 0);
        if (got < 0) return last_error();
        if (got == 0) return protocol_error();
        if (byte == '\n') return out;
    }
    return protocol_error();
}

/// "WORD n".
std::optional<std::size_t> number_behind(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return std::nullopt;
    return base::text::parse_number<std::size_t>(line.substr(word.size()));
}

base::Result<void> write_line(int talk, std::string_view line) {
    const ssize_t sent = ::send(talk, line.data(), line.size(), MSG_NOSIGNAL);
    if (sent < 0) return last_error();
    if (static_cast<std::size_t>(sent) != line.size()) return protocol_error();
    return {};
}

}  // namespace

std::optional<NamedCounts> decode_counts(std::string_view text) {
    NamedCounts out;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const auto line = text.substr(0, end);
        const auto blank = line.find(' ');
        if (blank == 0 || blank == std::string_view::npos) return std::nullopt;
        const auto value = base::text::parse_number<std::uint64_t>(line.substr(blank + 1));
        if (!value) return std::nullopt;
        out.emplace_back(line.substr(0, blank), *value);
        text.remove_prefix(end + 1);
    }
    return out;
}

std::string encode_counts(const NamedCounts& counts) {
    std::string out;
    for (const auto& [name, value] : counts) out += name + " " + std::to_string(value) + "\n";
    return out;
}

// -------------------------------------------------------------------- the new process

base::Result<Inheritance> Inheritance::take(const std::string& path) {
    if (!base::http::fits_socket_address(path)) return protocol_error();
    Inheritance out;
    out.talk_ = server::Socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int talk = out.talk_.number();
    const timeval limit{kPatience_ms / 1000, 0};
    ::setsockopt(talk, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), at.sun_path);
    if (::connect(talk, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
        return last_error();
    if (auto sent = write_line(talk, "TAKE 1\n"); !sent) return sent.error();
    const auto line = read_line(talk);
    if (!line) return line.error();
    const auto count = number_behind(*line, "SOCKETS ");
    if (!count || *count > kMostSockets) return protocol_error();
    while (out.sockets.size() < *count) {
        const std::size_t before = out.sockets.size();
        if (auto got = receive_sockets(talk, out.sockets); !got) return got.error();
        if (out.sockets.size() == before) return protocol_error();
    }
    return out;
}

base::Result<NamedCounts> Inheritance::confirm() {
    const int talk = talk_.number();
    if (auto sent = write_line(talk, "SERVING\n"); !sent) return sent.error();
    const auto line = read_line(talk);
    if (!line) return line.error();
    const auto count = number_behind(*line, "COUNTS ");
    if (!count || *count > kMostCounts) return protocol_error();
    std::string text;
    for (std::size_t i = 0; i < *count; ++i) {
        const auto one = read_line(talk);
        if (!one) return one.error();
        text += *one + "\n";
    }
    auto counts = decode_counts(text);
    if (!counts) return protocol_error();
    talk_.close();
    return *std::move(counts);
}

// -------------------------------------------------------------------- the old process

base::Result<int> start_successor() {
    std::error_code failure;
    auto program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
    if (failure) return base::Error(failure.value(), boost::system::system_category());
    // After an upgrade our own file is gone, and the new one has its name.
    constexpr std::string_view kGone = " (deleted)";
    if (program.ends_with(kGone)) program.resize(program.size() - kGone.size());
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');)
        if (word != "--replace") words.push_back(word);
    words.emplace_back("--replace");
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    // Sockets of ours that are open on exec would hold their addresses in the child.
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    pid_t process = 0;
    const int error =
        ::posix_spawn(&process, program.c_str(), &files, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) return base::Error(error, boost::system::system_category());
    return process;
}

struct HandoverDoor::Impl : std::enable_shared_from_this<Impl> {
    Impl(asio::io_context& io_, Seams seams_) : io(io_), seams(std::move(seams_)), talk(io_) {}

    void accept() {
        door->acceptor.async_accept([self = shared_from_this(
                                     )](const base::Error& error, Local::socket socket) {
            if (!self->door || error == asio::error::operation_aborted) return;
            if (!error) self->greet(std::move(socket));
            if (self->door) self->accept();
        });
    }

    void greet(Local::socket socket) {
        ucred who{};
        socklen_t size = sizeof who;
        const bool known =
            ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
            (who.uid == ::geteuid() || who.uid == 0);
        if (!known || busy) return;  // closes
        busy = true;
        successor = who.pid;
        talk = std::move(socket);
        input.consume(input.size());
        read();
    }

    void read() {
        asio::async_read_until(
            talk,
            input,
            '\n',
            [self = shared_from_this()](const base::Error& error, std::size_t size) {
                if (error) return self->give_up();
                const auto* const bytes = static_cast<const char*>(self->input.data().data());
                const std::string line(bytes, size);
                self->input.consume(size);
                self->on_line(line);
            }
        );
    }

    void on_line(const std::string& line) {
        if (line == "TAKE 1\n" && !frozen) {
            hand_out();
        } else if (line == "SERVING\n" && frozen) {
            let_go();
        } else {
            give_up();
        }
    }

    void hand_out() {
        frozen = true;
        seams.freeze(true);
        base::log::event(base::log::Level::info, "handover_started", {{"successor", successor}});
        // Blocking, but little: it fits the socket's buffer.
        talk.native_non_blocking(false);
        const auto numbers = seams.sockets();
        const auto head = "SOCKETS " + std::to_string(numbers.size()) + "\n";
        bool good = write_line(talk.native_handle(), head).has_value();
        const std::span<const int> all(numbers);
        for (std::size_t at = 0; good && at < all.size(); at += kSocketsPerMessage)
            good = send_sockets(
                talk.native_handle(), all.subspan(at, std::min(kSocketsPerMessage, all.size() - at))
            );
        talk.native_non_blocking(true);
        if (!good) return give_up();
        read();
    }

    void let_go() {
        const auto counts = seams.let_go();
        reply = "COUNTS " + std::to_string(counts.size()) + "\n" + encode_counts(counts);
        asio::async_write(
            talk,
            asio::buffer(reply),
            [self = shared_from_this()](const base::Error&, std::size_t) {
                // Even if it could not be told: the other one serves.
                base::Error ignored;
                self->talk.close(ignored);
                self->seams.end(self->successor);
            }
        );
    }

    /// The successor is gone, or talks nonsense: we go on.
    void give_up() {
        base::Error ignored;
        talk.close(ignored);
        busy = false;
        // Perhaps our child; one that is not, or still runs, is left alone.
        ::waitpid(successor, nullptr, WNOHANG);
        if (!std::exchange(frozen, false)) return;
        seams.freeze(false);
        base::log::event(
            base::log::Level::warning, "handover_given_up", {{"successor", successor}}
        );
    }

    asio::io_context& io;
    Seams seams;
    std::optional<base::http::UnixListener> door;
    Local::socket talk;
    asio::streambuf input{kMostLineBytes};
    std::string reply;
    int successor = 0;
    bool busy = false;    ///< somebody is talking
    bool frozen = false;  ///< and has our sockets
};

HandoverDoor::HandoverDoor(asio::io_context& io, Seams seams)
    : impl_(std::make_shared<Impl>(io, std::move(seams))) {}

HandoverDoor::~HandoverDoor() {
    close();
    impl_->frozen = false;
    impl_->seams = {};
    base::Error ignored;
    impl_->talk.close(ignored);
}

base::Result<void> HandoverDoor::open(const std::string& path) {
    constexpr unsigned kOwnerOnly = 0600;
    auto door = base::http::listen_on_unix(impl_->io.get_executor(), path, kOwnerOnly);
    if (!door) return door.error();
    impl_->door.emplace(*std::move(door));
    impl_->accept();
    return {};
}

void HandoverDoor::close() {
    if (!impl_->door) return;
    base::http::remove_socket_file(*impl_->door);
    base::Error ignored;
    impl_->door->acceptor.close(ignored);
    impl_->door.reset();
}

}  // namespace twinsite::gslb
