// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gslb/zone/loader.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::zone {

/// One record as read, with the line it begins in.
struct Record {
    wire::dns::Name owner;
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;  ///< seconds
    std::vector<std::uint8_t> rdata;
    int line = 0;
};

/// Findings of one file, counted so that a hopeless file does not flood the terminal.
class FindingList {
public:
    explicit FindingList(std::string file) : file_(std::move(file)) {}

    void error(int line, std::string text);
    void warning(int line, std::string text);
    std::size_t error_count() const { return errors_; }
    bool is_full() const { return errors_ >= kMaxFindings; }
    /// By line.
    std::vector<Finding> take() &&;

private:
    std::string file_;
    std::vector<Finding> findings_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
};

/// Gathers records into RRsets and checks what only the whole zone shows: one SOA and at least one
/// NS at the apex, nothing beside a CNAME (RFC 1034 section 3.6.2), one TTL per RRset (RFC 2181
/// section 5.2: the smallest is taken, with a warning). Repeated records count once. `failed` are
/// the types of records at the apex that had an error of their own: they are not called missing.
ZoneData assemble(
    const wire::dns::Name& origin,
    std::vector<Record> records,
    const std::vector<std::uint16_t>& failed,
    FindingList& findings
);

}  // namespace twinsite::gslb::zone
