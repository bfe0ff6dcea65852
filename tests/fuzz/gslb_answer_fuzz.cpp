// SPDX-License-Identifier: Apache-2.0
// Any packet against a server with a sample zone and steering. The first byte chooses transport,
// size of the buffer and health; the rest is the packet.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error/check.hpp"
#include "tests/gslb/answer/server_fixture.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/reader.hpp"

using namespace twinsite;
using gslb::answer::ServerFixture;
using gslb::answer::Transport;
using gslb::steering::Health;

namespace {

void check_reply(std::span<const std::uint8_t> query, const tests::Bytes& reply) {
    using namespace wire::dns;
    BASE_CHECK(reply.size() >= kHeaderBytes);
    BASE_CHECK(reply[0] == query[0] && reply[1] == query[1]);
    BASE_CHECK((reply[2] & 0x80) != 0);
    Reader reader(reply, kHeaderBytes);
    if (load16(&reply[4]) == 1) {
        reader.skip_name();
        reader.u32();
        BASE_CHECK(!reader.failed());
        BASE_CHECK(std::equal(
            reply.begin() + kHeaderBytes,
            reply.begin() + static_cast<std::ptrdiff_t>(reader.offset()),
            query.begin() + kHeaderBytes
        ));
    }
    const unsigned records = load16(&reply[6]) + load16(&reply[8]) + load16(&reply[10]);
    for (unsigned i = 0; i < records; ++i) read_record(reader);
    BASE_CHECK(!reader.failed() && reader.remaining() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static ServerFixture server;
    if (size == 0) return 0;
    const unsigned choice = data[0];
    server.transport = (choice & 1) != 0 ? Transport::tcp : Transport::udp;
    server.reply_buffer_bytes = (choice & 2) != 0 ? 512 : 4096;
    const Health health = (choice & 4) != 0 ? Health::down : Health::up;
    if (server.states[0][0].health != health) server.set_health(0, {health});
    const std::span<const std::uint8_t> packet(data + 1, size - 1);
    const auto reply = server.ask_raw(packet);
    if (!reply.empty()) {
        check_reply(packet, reply);
        if (server.transport == Transport::udp) BASE_CHECK(reply.size() <= 1232);
    }
    return 0;
}
