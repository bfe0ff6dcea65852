// SPDX-License-Identifier: Apache-2.0
// Any packet against a zone with aliases of both kinds, plain and signed. The first byte chooses the
// zone and the transport; the rest is the packet. A server that lives as long as the program.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error/check.hpp"
#include "tests/gslb/answer/signed_fixture.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

using namespace twinsite;
using gslb::answer::Signed;
using gslb::answer::SignedServer;
using gslb::answer::Transport;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static SignedServer servers[] = {
        SignedServer(Signed::no), SignedServer(Signed::nsec), SignedServer(Signed::nsec3)
    };
    if (size == 0) return 0;
    SignedServer& server = servers[data[0] % 3];
    server.transport = (data[0] & 0x80) != 0 ? Transport::udp : Transport::tcp;
    const auto reply = server.ask_raw({data + 1, size - 1});
    if (reply.empty()) return 0;
    using namespace wire::dns;
    BASE_CHECK(reply.size() >= kHeaderBytes && (reply[2] & 0x80) != 0);
    if (server.transport == Transport::udp) BASE_CHECK(reply.size() <= 1232);
    Reader reader(reply, kHeaderBytes);
    if (load16(&reply[4]) == 1) {
        reader.skip_name();
        reader.u32();
    }
    const unsigned records = load16(&reply[6]) + load16(&reply[8]) + load16(&reply[10]);
    for (unsigned i = 0; i < records; ++i) read_record(reader);
    BASE_CHECK(!reader.failed() && reader.remaining() == 0);
    return 0;
}
