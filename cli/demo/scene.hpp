// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "cli/demo/layout.hpp"
#include "cli/demo/process.hpp"

namespace twinsite::cli::demo {

/// What is known about one part right now.
struct PartState {
    Part part;
    std::optional<Record> record;
    Life life = Life::dead;
    /// Empty: it does its work. Else why not, in a few words.
    std::string fault;
};

/// The processes of one demo: starts them, looks at them. Whoever changes something holds a
/// SceneLock meanwhile.
class Scene {
public:
    /// `programs`: the folder of the daemons' executables.
    Scene(Layout layout, std::filesystem::path programs)
        : layout_(std::move(layout)), programs_(std::move(programs)) {}

    const Layout& layout() const { return layout_; }

    /// Makes the folders, forgets what an earlier demo left in them, and writes certificates,
    /// scenarios, configuration files and the note for `noted_net`. Only when nothing runs.
    /// Why not, for people; empty: done.
    std::string prepare() const;
    base::Result<void> launch_part(const Part& part) const;
    /// Records and lives only: quick, asks nobody.
    std::vector<PartState> lives() const;
    /// As `lives`, with faults: asks every running part over its API. At most a second each.
    std::vector<PartState> look() const;
    /// Asks until no part of the selection has a fault, or until `limit`; the last look is
    /// returned. Ends early when a process is dead: it will not get ready.
    std::vector<PartState> wait_until_good(
        const Selection& selection, std::chrono::milliseconds limit
    ) const;
    /// Forgets the processes and the net, after they have been stopped.
    void forget() const;

    /// The last lines of a part's log.
    std::string end_of_log(const Part& part, int lines) const;

private:
    std::string make_folders() const;
    std::string copy_scenarios() const;
    /// A folder of files that come with the programs; empty when it is nowhere.
    std::filesystem::path find_share(const char* name) const;

    Layout layout_;
    std::filesystem::path programs_;
};

/// The net of the demo that was started in `state` and not stopped; nullopt when there is none.
std::optional<std::string> noted_net(const std::filesystem::path& state);

/// The first address of the demo that somebody else uses, with what the kernel says; "" for none.
std::string occupied_address(const Layout& layout);

/// Held by a command that changes a demo, so that two of them do not mix. Ends with the object,
/// or with the process.
class SceneLock {
public:
    /// The folder must exist. nullopt when another command holds it.
    static std::optional<SceneLock> take(const std::filesystem::path& state);
    SceneLock(SceneLock&& other) noexcept;
    SceneLock& operator=(SceneLock&&) = delete;
    ~SceneLock();

private:
    explicit SceneLock(int file) : file_(file) {}
    int file_;
};

}  // namespace twinsite::cli::demo
