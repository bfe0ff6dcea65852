// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "wire/contract/fence.hpp"

/// What agents and site monitors report, as JSON (docs/protocol/agent.md). Encoders cut texts that
/// are too long and mend what is not UTF-8, so that what they write can always be read. Decoders
/// are bounded, ignore unknown members and want `"schema":1`.
namespace twinsite::wire::contract {

inline constexpr std::size_t kMaxBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxSamples = 2000;  ///< In one report.
inline constexpr std::size_t kMaxReports = 2000;  ///< In one batch; also probes.
inline constexpr std::size_t kMaxTextBytes = 4096;

/// How a collector fared.
enum class Status : std::uint8_t {
    ok,
    missing,  ///< no value yet, or the source does not exist
    stuck,    ///< the collector did not come back before its deadline
    error,
};
std::string_view to_string(Status status);

/// One measurement of a collector.
struct Sample {
    std::string collector;  ///< cpu, memory, disk, process, self, ...
    std::string instance;   ///< mount point, name of the process; may be empty
    Status status = Status::ok;
    std::uint64_t age_ms = 0;  ///< How old the values were when the report was made.
    std::string detail;        ///< For people.
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, std::string>> texts;
};

/// What one agent measured at one time.
struct Report {
    std::string site;
    std::string name;
    std::string role;  ///< Kind of machine: interface, processing, database, other.
    std::string version;
    std::string boot_id;  ///< Of this run of the agent: `seq` counts within it.
    std::uint64_t seq = 0;
    std::uint64_t interval_ms = 0;
    std::uint64_t sent_wall_ms = 0;  ///< Unix time; for display only.
    std::uint64_t mono_ms = 0;       ///< The sender's monotonic clock when sent.
    std::uint64_t backlog = 0;       ///< Reports that wait for this server.
    std::uint64_t dropped = 0;       ///< Reports given up since the start.
    bool backfill = false;           ///< Sent late: for the history, never judged.
    std::uint64_t age_ms = 0;        ///< Age of the measurement when sent.
    Fence fence;                     ///< The highest that the agent knows.
    std::vector<Sample> samples;
};

/// Outcome of one outside probe of a site monitor.
struct ProbeResult {
    std::string name;
    std::string kind;     ///< tcp, http, dns, charging
    std::string subject;  ///< What it speaks about: "site:east", "service:ocs"
    std::string view;     ///< Site whose client the probe plays; may be empty.
    bool ok = false;
    std::uint64_t latency_ms = 0;
    std::uint64_t age_ms = 0;
    std::string detail;
};

/// What a site monitor sends: the newest report of each of its agents, and its own probes.
struct Batch {
    std::string site;
    std::string name;
    std::string version;
    std::string boot_id;
    std::uint64_t seq = 0;
    std::uint64_t interval_ms = 0;
    std::uint64_t sent_wall_ms = 0;
    std::uint64_t mono_ms = 0;
    std::vector<Report> reports;  ///< All of `site`.
    std::vector<ProbeResult> probes;
};

/// Answer to a report or batch.
struct Ack {
    std::string server;  ///< Identity URI.
    std::uint64_t server_wall_ms = 0;
    std::uint64_t accepted = 0;  ///< `seq` of what was taken.
};

std::string encode_report(const Report& report);
base::Result<Report> decode_report(std::string_view json);
std::string encode_batch(const Batch& batch);
base::Result<Batch> decode_batch(std::string_view json);
std::string encode_ack(const Ack& ack);
base::Result<Ack> decode_ack(std::string_view json);

}  // namespace twinsite::wire::contract
