// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/child.hpp"

#include <csignal>
#include <sys/wait.h>

#include <fcntl.h>
#include <unistd.h>

namespace twinsite::tools::test {

Child::Child(const std::string& program, std::vector<std::string> arguments) {
    const std::string path = BINARY_ROOT "/bin/" + program;
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int out[2];
    int error[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(error[1], STDERR_FILENO);
        execv(path.c_str(), argv.data());
        _exit(127);
    }
    close(out[1]);
    close(error[1]);
    out_ = out[0];
    error_ = error[0];
}

Child::~Child() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) close(out_);
    if (error_ >= 0) close(error_);
}

std::string Child::first_error_line() {
    std::string line;
    for (char c = 0; read(error_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

void Child::signal(int number) const {
    kill(pid_, number);
}

int Child::wait() {
    char buffer[4096];
    for (ssize_t got = 0; (got = read(out_, buffer, sizeof buffer)) > 0;)
        output_.append(buffer, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace twinsite::tools::test
