// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace twinsite::tools::test {

/// A program of the build's bin folder, with its output caught. Killed when left alone.
class Child {
public:
    Child(const std::string& program, std::vector<std::string> arguments);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Reads standard error up to the end of its first line (without it).
    std::string first_error_line();
    void signal(int number) const;
    /// Waits for the end; the exit status, or 128 + signal.
    int wait();
    /// Standard output; complete after `wait`.
    const std::string& output() const { return output_; }

private:
    pid_t pid_ = -1;
    int out_ = -1;
    int error_ = -1;
    std::string output_;
};

}  // namespace twinsite::tools::test
