// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinsite::bench {

/// One query in wire form with what a right answer must hold.
struct Query {
    std::vector<std::uint8_t> packet;  ///< The message id (first two bytes) is set when sent.
    std::size_t question_end = 0;      ///< Offset behind the question section.
    int rcode = -1;                    ///< Expected RCODE; -1: any.
    std::vector<std::uint8_t> rdata;   ///< Bytes that the answer must contain; empty: any.
};

/// Where the names and addresses of the built-in mixes come from. `bench/run` writes zones by the
/// same rule: host i of the static zone has the A record 10.(i/65536).(i/256).(i), name i of the
/// steered zone at site d (1 or 2) has 10.(100+d).(i/256).(i) and 2001:db8:d::i, and clients of
/// 10.N.0.0/16 belong to site 1 when N is even and below 64, or at least 64, otherwise to site 2.
struct MixSizes {
    std::uint32_t static_names = 100'000;
    std::uint32_t steered_names = 1'000;
    std::uint32_t networks = 64;
};

/// `static`: existing A records; `static-nx`: names that do not exist; `steered-ecs`: A and AAAA
/// of steered names with an EDNS client subnet of 24 bits. Empty when there is no such mix.
std::vector<Query> make_mix(const std::string& name, std::size_t count, const MixSizes& sizes);

/// Lines "NAME TYPE [ADDRESS/BITS]", TYPE a number or A, AAAA, SOA, NS, TXT, SRV, CNAME. Only the
/// header and the question of the answers are checked. Throws std::runtime_error with the line.
std::vector<Query> read_query_file(const std::string& path);

}  // namespace twinsite::bench
