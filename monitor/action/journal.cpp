// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/crypto/digest.hpp"
#include "base/file/state_file.hpp"
#include "base/text/text.hpp"

namespace twinsite::monitor::action {
namespace {

namespace contract = wire::contract;
namespace text = base::text;
using base::Result;

// A rewrite keeps whole outputs of the newest operations up to this size, and the beginning of the
// others. In JSON a byte may take six: still far below the size at which it is done again.
constexpr std::size_t kWholeOutputBytes = 1024 * 1024;
constexpr std::size_t kShortOutputBytes = 1024;
constexpr std::size_t kMaxFileBytes = 24 * 1024 * 1024;
constexpr std::string_view kForgotten = "~";

base::Error system_error() {
    return {errno, boost::system::system_category()};
}

std::string_view take_word(std::string_view& line) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

std::string order_of(const contract::Fence& fence, std::uint64_t issued_wall_ms) {
    return std::to_string(fence.generation) + " " + std::to_string(fence.revision) + " " +
           std::to_string(issued_wall_ms);
}

std::string line_of(const Journal::Record& record) {
    return record.content + " " + order_of(record.fence, record.issued_wall_ms) + " " +
           contract::encode_result(record.result) + "\n";
}

/// All bytes, and on disk.
Result<void> write_synced(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_error();
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fdatasync(file) != 0) return system_error();
    return {};
}

}  // namespace

std::string content_of(const contract::Command& command) {
    // Only what is asked: a new leader asks the same with another fence and time.
    contract::Command bare;
    bare.op_id = command.op_id;
    bare.agent = command.agent;
    bare.action = command.action;
    bare.params = command.params;
    return base::crypto::sha256_hex(contract::signing_bytes(bare));
}

Result<Journal> Journal::open(const std::string& path) {
    Journal out(path);
    const auto content = base::file::read_state_file(path);
    if (!content) return content.error();
    if (*content) out.read(**content);
    for (auto& record : out.records_) {
        if (contract::is_final(record.result.state)) continue;
        record.result.state = contract::CommandState::lost;
        record.result.reason = "agent_ended: the agent ended while the action ran";
        ++out.lost_;
    }
    if (auto written = out.rewrite(); !written) return written.error();
    return out;
}

const Journal::Record* Journal::find(std::string_view op_id) const {
    const auto at = std::find_if(records_.rbegin(), records_.rend(), [&](const Record& record) {
        return record.result.op_id == op_id;
    });
    return at == records_.rend() ? nullptr : &*at;
}

bool Journal::may_have_forgotten(const contract::Fence& fence, std::uint64_t issued_wall_ms) const {
    if (!forgotten_ || fence > forgotten_->fence) return false;
    return fence < forgotten_->fence || issued_wall_ms <= forgotten_->issued_wall_ms;
}

Result<void> Journal::put(Record record) {
    const auto line = line_of(record);
    remember(std::move(record));
    if (bytes_ + line.size() > kMaxFileBytes) return rewrite();
    return append(line);
}

void Journal::read(std::string_view content) {
    while (!content.empty()) {
        const auto end = content.find('\n');
        // A torn last line: the program it speaks of had not started, or its end is not known.
        if (end == std::string_view::npos || !read_line(content.substr(0, end))) ++damaged_;
        if (end == std::string_view::npos) return;
        content.remove_prefix(end + 1);
    }
}

bool Journal::read_line(std::string_view line) {
    Record record;
    record.content = take_word(line);
    const auto generation = text::parse_number<std::uint64_t>(take_word(line));
    const auto revision = text::parse_number<std::uint64_t>(take_word(line));
    const auto issued = text::parse_number<std::uint64_t>(take_word(line));
    if (record.content.empty() || !generation || !revision || !issued) return false;
    record.fence = {*generation, *revision};
    record.issued_wall_ms = *issued;
    if (record.content == kForgotten) {
        forgotten_ = Forgotten{record.fence, record.issued_wall_ms};
        return true;
    }
    auto result = contract::decode_result(line);
    if (!result) return false;
    record.result = std::move(*result);
    remember(std::move(record));
    return true;
}

void Journal::remember(Record record) {
    const auto same = std::find_if(records_.begin(), records_.end(), [&](const Record& known) {
        return known.result.op_id == record.result.op_id;
    });
    if (same != records_.end())
        *same = std::move(record);
    else
        records_.push_back(std::move(record));
    while (records_.size() > kOperations) forget_oldest();
}

/// The oldest that has ended: one that runs is never forgotten.
void Journal::forget_oldest() {
    auto oldest = std::find_if(records_.begin(), records_.end(), [](const Record& record) {
        return contract::is_final(record.result.state);
    });
    if (oldest == records_.end()) oldest = records_.begin();
    if (!forgotten_ || oldest->fence > forgotten_->fence)
        forgotten_ = Forgotten{oldest->fence, oldest->issued_wall_ms};
    else if (oldest->fence == forgotten_->fence)
        forgotten_->issued_wall_ms = std::max(forgotten_->issued_wall_ms, oldest->issued_wall_ms);
    records_.erase(oldest);
}

Result<void> Journal::append(const std::string& line) {
    if (!file_.is_open()) return rewrite();
    bytes_ += line.size();
    auto written = write_synced(file_.number(), line);
    // Whatever stands at the end now, the next line must begin on one of its own.
    if (!written) file_.close();
    return written;
}

Result<void> Journal::rewrite() {
    file_.close();
    std::size_t whole = 0;
    for (auto at = records_.rbegin(); at != records_.rend(); ++at) {
        whole += at->result.output.size();
        if (whole > kWholeOutputBytes && at->result.output.size() > kShortOutputBytes)
            at->result.output.resize(kShortOutputBytes);
    }
    std::string content;
    if (forgotten_)
        content += std::string(kForgotten) + " " +
                   order_of(forgotten_->fence, forgotten_->issued_wall_ms) + "\n";
    for (const auto& record : records_) content += line_of(record);
    if (auto written = base::file::write_state_file(path_, content); !written)
        return written.error();
    bytes_ = content.size();
    file_ = base::file::Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!file_.is_open()) return system_error();
    return {};
}

}  // namespace twinsite::monitor::action
