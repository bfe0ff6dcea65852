// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/reader.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "wire/dns/message.hpp"
#include "wire/dns/writer.hpp"

namespace twinsite::wire::dns {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Reader, ReadsWhatAWriterWrote) {
    std::uint8_t buffer[64];
    Writer writer(buffer);
    writer.u8(7);
    writer.u16(0x1234);
    writer.u32(0x89abcdef);
    writer.name(parse_name("a.example").value());
    writer.bytes(Bytes{1, 2, 3});
    writer.patch16(1, 0x4321);
    ASSERT_FALSE(writer.failed());
    Reader reader(std::span(buffer).first(writer.size()));
    EXPECT_EQ(reader.u8(), 7);
    EXPECT_EQ(reader.u16(), 0x4321);
    EXPECT_EQ(reader.u32(), 0x89abcdefu);
    EXPECT_EQ(reader.name().to_string(), "a.example.");
    EXPECT_EQ(reader.remaining(), 3u);
    EXPECT_EQ(reader.bytes(3)[2], 3);
    EXPECT_FALSE(reader.failed());
}

TEST(Reader, StaysFailedAfterTheFirstReadBeyondTheEnd) {
    const Bytes three = {1, 2, 3};
    Reader reader(three);
    EXPECT_EQ(reader.u32(), 0u);
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.u8(), 0);
    EXPECT_EQ(reader.remaining(), 0u);
    EXPECT_TRUE(reader.bytes(0).empty());
    EXPECT_TRUE(Reader(three, 4).failed());
    EXPECT_FALSE(Reader(three, 3).failed());
}

TEST(Reader, SkipsNamesWithoutFollowingThem) {
    const Bytes message = {1, 'a', 0xC0, 99, 5, 0, 0x41};
    Reader reader(message);
    reader.skip_name();
    EXPECT_EQ(reader.offset(), 4u);
    EXPECT_EQ(reader.u8(), 5);
    reader.skip_name();
    EXPECT_EQ(reader.offset(), 6u);
    reader.skip_name();
    EXPECT_TRUE(reader.failed());
}

TEST(Reader, RecordPointsIntoTheMessage) {
    const Bytes message = {0, 1, 'a', 0xC0, 0, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1, 0xFF};
    Reader reader(message, 1);
    const Record record = read_record(reader);
    ASSERT_FALSE(reader.failed());
    EXPECT_EQ(record.owner.to_string(), "a.");
    EXPECT_EQ(record.type, type::a);
    EXPECT_EQ(record.klass, kClassIn);
    EXPECT_EQ(record.ttl, 60u);
    EXPECT_EQ(record.rdata_offset, 15u);
    EXPECT_EQ(record.rdata.size(), 4u);
    EXPECT_EQ(reader.remaining(), 1u);
}

TEST(Writer, WritesNothingBeyondItsBuffer) {
    std::uint8_t buffer[5] = {9, 9, 9, 9, 9};
    Writer writer(std::span(buffer).first(3));
    writer.u16(0x0102);
    writer.u16(0x0304);
    EXPECT_TRUE(writer.failed());
    writer.u8(5);
    EXPECT_EQ(writer.size(), 2u);
    EXPECT_EQ(buffer[2], 9);
    writer.patch16(1, 0xffff);  // half of it was never written
    EXPECT_EQ(buffer[1], 2);
}

}  // namespace
}  // namespace twinsite::wire::dns
