// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/contract/fence.hpp"
#include "wire/group/frame.hpp"
#include "wire/group/stamp.hpp"

/// What the members of a group tell each other, as values. Times are ages and times left, never
/// points in time: the clock of the other side may be wrong.
namespace twinsite::wire::group {

struct Hello {
    std::string node;  ///< of gslb.yaml
    std::string site;
    std::string program;  ///< version of the program, for people
    std::uint8_t first_version = 0;
    std::uint8_t last_version = 0;

    bool operator==(const Hello&) const = default;
};

struct Heartbeat {
    std::uint64_t seq = 0;
    std::uint64_t heard = 0;  ///< the peer's last seq; 0: none yet
    bool draining = false;    ///< it ends on purpose

    bool operator==(const Heartbeat&) const = default;
};

/// Names one version of the intent.
struct IntentVersion {
    std::uint64_t epoch = 0;  ///< raised when authorship moves
    std::uint64_t seq = 0;    ///< within the epoch; {0,0}: none was ever applied
    std::string hash;         ///< of the header, 64 hex digits; empty with {0,0}

    bool operator==(const IntentVersion&) const = default;
    /// Order of application; says nothing about forks.
    bool before(const IntentVersion& other) const {
        return epoch != other.epoch ? epoch < other.epoch : seq < other.seq;
    }
};

/// The header of a bundle. `hash` of IntentVersion is SHA-256 over signed_text(header).
struct IntentHeader {
    std::uint64_t epoch = 0;
    std::uint64_t seq = 0;
    std::string parent;     ///< hash of the version before; empty: the first
    std::string content;    ///< SHA-256 of the content, hex
    std::string author;     ///< node that published it
    std::string operator_;  ///< person who asked for it
    std::string reason;
    std::uint32_t min_reader = 1;  ///< programs with a lower reader version refuse it
    std::uint64_t bytes = 0;       ///< of the content
    std::string certificate;       ///< of the signing key, PEM
    std::string signature;         ///< Ed25519 over signed_text, base64

    bool operator==(const IntentHeader&) const = default;
};

struct IntentPart {
    std::string hash;  ///< of the version
    std::uint64_t offset = 0;
    std::string data;  ///< raw bytes of the content

    bool operator==(const IntentPart&) const = default;
};

/// Which versions of intents this program can read (IntentHeader::min_reader).
inline constexpr std::uint32_t kReaderVersion = 1;
/// Largest content of a bundle.
inline constexpr std::uint64_t kMaxIntentBytes = std::uint64_t{64} * 1024 * 1024;
/// Content of one IntentPart; base64 makes it a third longer.
inline constexpr std::size_t kIntentPartBytes = std::size_t{512} * 1024;

/// One override, or the mark that one was cleared.
struct OverrideEntry {
    std::string service;
    std::string object;  ///< "site:NAME" or a target's name
    std::string state;   ///< up, down, drain; "": cleared
    std::string reason;
    std::string author;
    std::uint64_t age_ms = 0;              ///< since it was said
    std::optional<std::uint64_t> left_ms;  ///< none: until it is cleared; 0: has expired
    Stamp stamp;

    bool operator==(const OverrideEntry&) const = default;
};
struct Overrides {
    std::vector<OverrideEntry> entries;  ///< in order of service and object
    bool more = false;                   ///< ask again, from the last one

    bool operator==(const Overrides&) const = default;
};
inline constexpr std::size_t kMaxOverrides = 300;  ///< of one message

/// What one observer found with one check of one target.
struct Observation {
    std::string target;  ///< "SERVICE/TARGET"
    std::string check;   ///< name and address: "tcp@192.0.2.1:3868"
    std::uint64_t seq = 0;
    std::string result;  ///< up, down, unknown
    std::uint64_t rtt_us = 0;
    std::uint64_t age_ms = 0;  ///< since the last probe ended

    bool operator==(const Observation&) const = default;
};
struct Observations {
    std::string observer;  ///< the sending node
    std::vector<Observation> list;

    bool operator==(const Observations&) const = default;
};
inline constexpr std::size_t kMaxObservations = 2'000;  ///< of one message

/// What an agent said about the load of a target.
struct Load {
    std::string service;
    std::string target;
    double load_percent = 0;  ///< 0..1000, of what it can do
    std::uint64_t seq = 0;
    std::uint64_t age_ms = 0;

    bool operator==(const Load&) const = default;
};
struct Loads {
    std::vector<Load> list;

    bool operator==(const Loads&) const = default;
};
inline constexpr std::size_t kMaxLoads = 2'000;  ///< of one message

/// The secrets of DNS cookies (RFC 9018), 32 hex digits each.
struct Secrets {
    std::string current;
    std::string next;  ///< staged: accepted, not yet used; may be empty
    Stamp stamp;

    bool operator==(const Secrets&) const = default;
};

struct ScopedFence {
    std::string scope;
    contract::Fence fence;

    bool operator==(const ScopedFence&) const = default;
};
struct Fences {
    std::vector<ScopedFence> list;

    bool operator==(const Fences&) const = default;
};

/// One hash for each kind of state that all members have in common. Observations and loads are told
/// again and again instead: they grow old by themselves.
struct Digest {
    IntentVersion intent;
    std::string overrides;  ///< over keys and stamps
    std::string secrets;    ///< over the stamp; the secrets themselves stay unseen
    std::string fences;
    std::string decision_inputs;  ///< over all policies: what the answers follow from
    std::string decision_tables;  ///< over all policies: the answers

    bool operator==(const Digest&) const = default;
};

/// What a member wants to be told.
struct Pull {
    Kind what = Kind::overrides;
    std::string from;          ///< overrides, decisions: behind this key
    std::string hash;          ///< intent_part: of which version
    std::uint64_t offset = 0;  ///< intent_part

    bool operator==(const Pull&) const = default;
};

/// Whether two members answer alike, policy by policy.
struct PolicyDigest {
    std::string owner;
    std::string inputs;  ///< 16 hex digits
    std::string table;   ///< 16 hex digits

    bool operator==(const PolicyDigest&) const = default;
};
struct Decisions {
    std::vector<PolicyDigest> list;  ///< in order of owners
    bool more = false;

    bool operator==(const Decisions&) const = default;
};
inline constexpr std::size_t kMaxDecisions = 2'000;  ///< of one message

}  // namespace twinsite::wire::group
