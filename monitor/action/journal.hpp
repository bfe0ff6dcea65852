// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "base/file/descriptor.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::monitor::action {

/// What became of the last operations, on disk: the same operation is never carried out twice, also
/// over a crash. A line is written and synced before a program starts and after it ended. Format:
/// docs/protocol/agent.md. One thread.
class Journal {
public:
    static constexpr std::size_t kOperations = 500;

    struct Record {
        std::string content;  ///< Digest of what was asked: see `content_of`.
        wire::contract::Fence fence;
        std::uint64_t issued_wall_ms = 0;  ///< By the server's clock.
        wire::contract::CommandResult result;
    };

    /// Reads the file, or begins without one. Operations that had not ended are lost now. Errors:
    /// those of the system; bad lines are left out and counted.
    static base::Result<Journal> open(const std::string& path);

    /// By operation id; valid until the next `put`.
    const Record* find(std::string_view op_id) const;
    /// Whether the journal may have known an operation of this fence and time and has forgotten it
    /// since: then it must not be carried out.
    bool may_have_forgotten(const wire::contract::Fence& fence, std::uint64_t issued_wall_ms) const;
    /// On disk when it returns without an error. In memory in any case.
    base::Result<void> put(Record record);

    std::size_t size() const { return records_.size(); }
    std::size_t damaged() const { return damaged_; }
    std::size_t lost() const { return lost_; }

private:
    struct Forgotten {
        wire::contract::Fence fence;
        std::uint64_t issued_wall_ms = 0;
    };

    explicit Journal(std::string path) : path_(std::move(path)) {}
    void read(std::string_view text);
    bool read_line(std::string_view line);
    void remember(Record record);
    void forget_oldest();
    base::Result<void> append(const std::string& line);
    base::Result<void> rewrite();

    std::string path_;
    base::file::Descriptor file_;
    std::size_t bytes_ = 0;
    std::deque<Record> records_;  ///< Oldest first.
    std::optional<Forgotten> forgotten_;
    std::size_t damaged_ = 0;
    std::size_t lost_ = 0;
};

/// A digest of action and parameters: an operation id must not come back with another content.
std::string content_of(const wire::contract::Command& command);

}  // namespace twinsite::monitor::action
