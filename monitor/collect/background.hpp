// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace twinsite::monitor::collect {

/// A thread whose work may hang in the kernel for ever (a file system that is gone). The work gets
/// a `pause` that sleeps and returns false when it is time to end. It may refer only to what it
/// owns or shares: when it hangs, it is left behind and ends when the kernel lets it go.
class Background {
public:
    using Pause = std::function<bool(std::chrono::milliseconds)>;
    static constexpr std::chrono::milliseconds kPatience{1'000};

    explicit Background(std::function<void(const Pause&)> work);
    /// Waits for kPatience at most.
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Asks to end, without waiting.
    void stop();
    bool ended() const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace twinsite::monitor::collect
