// SPDX-License-Identifier: Apache-2.0
#include "monitor/action/operations.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "base/crypto/base64.hpp"
#include "base/crypto/error.hpp"
#include "base/crypto/signature.hpp"
#include "base/daemon/daemon.hpp"
#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"
#include "monitor/action/file_safety.hpp"
#include "wire/contract/identity.hpp"

namespace twinsite::monitor::action {
namespace {

namespace asio = boost::asio;
namespace contract = wire::contract;
namespace crypto = base::crypto;
namespace log = base::log;
using base::daemon::StartError;
using contract::Command;
using contract::CommandResult;
using contract::CommandState;
using log::Level;
using std::chrono::milliseconds;

constexpr std::string_view kScope = "command";
constexpr std::uint32_t kRefusalsPerMinute = 60;

std::string fence_file(const std::string& directory) {
    return directory + "/fence.json";
}

Journal open_journal(const std::string& directory) {
    const auto path = directory + "/journal.log";
    auto journal = Journal::open(path);
    if (!journal) throw StartError(path + ": " + journal.error().message());
    if (journal->damaged() > 0 || journal->lost() > 0)
        log::event(
            Level::warning,
            "journal_opened",
            {{"operations", journal->size()},
             {"lost", journal->lost()},
             {"damaged", journal->damaged()}}
        );
    return *std::move(journal);
}

contract::FenceGuard open_fences(const std::string& directory) {
    const auto path = fence_file(directory);
    const auto text = base::file::read_state_file(path);
    if (!text) throw StartError(path + ": " + text.error().message());
    if (!*text) return {};
    auto fences = contract::FenceGuard::from_json_text(**text);
    // To forget it would let a server act that lost its leadership.
    if (!fences) throw StartError(path + ": " + fences.error().message());
    return *std::move(fences);
}

crypto::TrustFiles open_trust(const std::string& ca, const std::string& crl) {
    auto trust = crypto::TrustFiles::open(ca, crl);
    if (!trust) throw StartError(ca + ": " + trust.error().message());
    return *std::move(trust);
}

CommandResult result_of(const Command& command, CommandState state) {
    CommandResult out;
    out.op_id = command.op_id;
    out.agent = command.agent;
    out.state = state;
    return out;
}

}  // namespace

LoadedActions load_actions(const std::string& file) {
    LoadedActions out;
    const auto content = read_safe_file(file);
    if (!content.problem.empty()) {
        out.findings.push_back(content.problem);
        return out;
    }
    const auto document = base::config::Document::parse(content.text, file);
    out.actions = parse_actions(document.root());
    for (const auto& finding : document.findings()) out.findings.push_back(to_string(finding));
    if (!out.findings.empty()) return out;
    for (const auto& [name, action] : out.actions) {
        if (auto problem = find_unsafe_program(action.command.front()))
            out.findings.push_back(file + ": action '" + name + "': " + *problem);
        if (auto problem = find_user_problem(action.user); !problem.empty())
            out.findings.push_back(file + ": action '" + name + "': " + problem);
    }
    return out;
}

Operations::Operations(
    const asio::any_io_executor& executor, Settings settings, report::Clocks clocks, OnEnd on_end
)
    : settings_(std::move(settings)),
      clocks_(std::move(clocks)),
      on_end_(std::move(on_end)),
      trust_(open_trust(settings_.ca, settings_.crl)),
      journal_(open_journal(settings_.directory)),
      fences_(open_fences(settings_.directory)),
      tasks_(executor) {}

contract::Fence Operations::fence() const {
    return fences_.highest(kScope);
}

CommandResult Operations::submit(const Command& command) {
    if (const auto forgery = find_forgery(command)) return refuse(command, *forgery, false);
    const auto content = content_of(command);
    const auto* known = journal_.find(command.op_id);
    const bool repeated = known != nullptr && known->content == content;
    const auto stale = raise_fence(command);
    // Before the fence: a stale relay that repeats what runs or is done must not make us deny it.
    if (repeated) {
        ++counters_.repeated;
        return known->result;
    }
    if (stale) return refuse(command, *stale, false);
    if (known != nullptr)
        return refuse(
            command, {"op_id_reused", "the operation was asked with another content"}, false
        );
    if (draining_) return refuse(command, {"stopping", "the agent is stopping"}, false);
    if (journal_.may_have_forgotten(command.fence, command.issued_wall_ms))
        return refuse(command, {"too_old", "older than the operations still known"}, false);
    // Elapsed time only: the wall clocks of the two ends may differ.
    if (command.age_ms > command.valid_for_ms)
        return refuse(
            command,
            {"expired",
             "is " + std::to_string(command.age_ms) + " ms old, valid for " +
                 std::to_string(command.valid_for_ms) + " ms"},
            true
        );
    return begin(command, content);
}

/// Whether it comes from a server of ours, to us, unchanged.
std::optional<Refusal> Operations::find_forgery(const Command& command) {
    if (command.agent != settings_.agent)
        return Refusal{"wrong_agent", "is for " + base::text::printable(command.agent)};
    const auto certificate =
        trust_.current().verify(command.certificate, crypto::Use::signing, crypto::wall_now());
    if (!certificate)
        return Refusal{"bad_certificate", "the signer's: " + certificate.error().message()};
    const auto signer = contract::parse_identity(certificate->uri);
    if (!signer || signer->role != "switchover")
        return Refusal{"wrong_role", "signed by '" + base::text::printable(certificate->uri) + "'"};
    if (certificate->uri != command.server)
        return Refusal{"wrong_sender", "the signer is not the server that it names"};
    const auto signature = crypto::from_base64(command.signature);
    if (!signature) return Refusal{"bad_signature", "is not base64"};
    const auto verified =
        crypto::verify_signature(contract::signing_bytes(command), *signature, command.certificate);
    if (!verified) return Refusal{"bad_signature", verified.error().message()};
    return std::nullopt;
}

std::optional<Refusal> Operations::raise_fence(const Command& command) {
    const auto highest = fence();
    if (command.fence == highest) return std::nullopt;
    auto raised = fences_;
    if (!raised.accept(kScope, command.fence))
        return Refusal{
            "stale_fence",
            "has " + to_string(command.fence) + ", the highest known is " + to_string(highest)
        };
    const auto file = fence_file(settings_.directory);
    const auto written = base::file::write_state_file(file, raised.to_json_text());
    if (!written) return Refusal{"not_written", file + ": " + written.error().message()};
    fences_ = std::move(raised);
    return std::nullopt;
}

std::optional<Refusal> Operations::find_obstacle(const Action& action) {
    const auto& usage = usage_[action.name];
    if (usage.running >= action.max_parallel || running_ >= settings_.max_parallel)
        return Refusal{"busy", "as many as allowed are running"};
    if (usage.started && clocks_.monotonic() - *usage.started < action.min_gap)
        return Refusal{"too_soon", "started less than its min_gap ago"};
    // Again each time: the files may have changed since the start.
    if (auto problem = find_unsafe_program(action.command.front()))
        return Refusal{"unsafe_program", *problem};
    return std::nullopt;
}

CommandResult Operations::begin(const Command& command, const std::string& content) {
    const auto found = actions_.find(command.action);
    if (found == actions_.end())
        return refuse(
            command, {"unknown_action", "'" + base::text::printable(command.action) + "'"}, true
        );
    const auto& action = found->second;
    auto bound = bind(action, command.params);
    if (const auto* refusal = std::get_if<Refusal>(&bound)) return refuse(command, *refusal, true);
    if (const auto obstacle = find_obstacle(action)) return refuse(command, *obstacle, true);

    Journal::Record record;
    record.content = content;
    record.fence = command.fence;
    record.issued_wall_ms = command.issued_wall_ms;
    record.result = result_of(command, CommandState::running);
    record.result.started_wall_ms = clocks_.wall_ms();
    // What is not on disk could be done twice, so it is not begun.
    if (const auto written = journal_.put(record); !written) {
        record.result.state = CommandState::refused;
        record.result.reason = "not_written: journal: " + written.error().message();
        static_cast<void>(journal_.put(record));
        return refuse(command, {"not_written", "journal: " + written.error().message()}, false);
    }
    ProgramCall call;
    call.arguments = std::get<std::vector<std::string>>(std::move(bound));
    call.user = action.user;
    call.timeout = action.timeout;
    auto& usage = usage_[action.name];
    ++usage.running;
    ++running_;
    usage.started = clocks_.monotonic();
    log::event(
        Level::info,
        "command_started",
        {{"op_id", command.op_id}, {"action", command.action}, {"server", command.server}}
    );
    tasks_.start(carry_out(record, action.name, std::move(call)));
    // Perhaps it has ended already.
    const auto* known = journal_.find(command.op_id);
    return known != nullptr ? known->result : record.result;
}

CommandResult Operations::refuse(const Command& command, const Refusal& refusal, bool remember) {
    ++counters_.refused;
    tell_refusal(command, refusal);
    auto out = result_of(command, CommandState::refused);
    out.reason = to_string(refusal);
    if (remember) {
        Journal::Record record{content_of(command), command.fence, command.issued_wall_ms, out};
        if (const auto written = journal_.put(std::move(record)); !written)
            log::event(Level::error, "journal_not_written", {{"error", written.error().message()}});
    }
    return out;
}

/// Each, but not so many that a server gone wrong fills the disk.
void Operations::tell_refusal(const Command& command, const Refusal& refusal) {
    const auto now = clocks_.monotonic();
    if (now - minute_ >= std::chrono::minutes(1)) {
        minute_ = now;
        told_ = 0;
    }
    if (++told_ > kRefusalsPerMinute) {
        ++held_back_;
        return;
    }
    log::event(
        Level::warning,
        "command_refused",
        {{"op_id", command.op_id},
         {"action", base::text::printable(command.action)},
         {"server", base::text::printable(command.server)},
         {"fence", to_string(command.fence)},
         {"reason", to_string(refusal)},
         {"held_back", std::exchange(held_back_, 0)}}
    );
}

asio::awaitable<void> Operations::carry_out(
    Journal::Record record, std::string action, ProgramCall call
) {
    const auto started = clocks_.monotonic();
    auto& result = record.result;
    try {
        const auto outcome = co_await run_program(std::move(call));
        if (outcome) {
            result.state = CommandState::done;
            result.rc = outcome->rc;
            result.output = outcome->output;
            if (outcome->timed_out) result.reason = "timed_out: the program was ended";
        } else if (outcome.error() == asio::error::operation_aborted) {
            co_return;  // the journal says that it runs: after the next start it is lost
        } else {
            result.state = CommandState::refused;
            result.reason = "cannot_start: " + outcome.error().message();
        }
    } catch (const boost::system::system_error& failure) {
        if (failure.code() == asio::error::operation_aborted) throw;
        // Out of descriptors or memory half-way: whether it did its work is not known.
        result.state = CommandState::lost;
        result.reason = "agent_failed: " + failure.code().message();
    }
    result.duration_ms = static_cast<std::uint64_t>((clocks_.monotonic() - started).count());
    end(std::move(record), action);
}

void Operations::end(Journal::Record record, const std::string& action) {
    const auto result = record.result;
    const bool good = result.state == CommandState::done && result.rc == 0 && result.reason.empty();
    ++(good ? counters_.done : counters_.failed);
    log::event(
        good ? Level::info : Level::warning,
        "command_ended",
        {{"op_id", result.op_id},
         {"action", action},
         {"state", contract::to_string(result.state)},
         {"rc", result.rc},
         {"duration_ms", result.duration_ms},
         {"reason", result.reason}}
    );
    if (const auto written = journal_.put(std::move(record)); !written)
        log::event(Level::error, "journal_not_written", {{"error", written.error().message()}});
    --usage_[action].running;
    --running_;
    on_end_(result);
    if (running_ == 0 && ended_) std::exchange(ended_, {})();
}

void Operations::drain(std::function<void()> ended) {
    draining_ = true;
    if (running_ == 0) return ended();
    ended_ = std::move(ended);
}

}  // namespace twinsite::monitor::action
