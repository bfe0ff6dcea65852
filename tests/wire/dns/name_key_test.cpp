// SPDX-License-Identifier: Apache-2.0
#include "wire/dns/name_key.hpp"

#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace twinsite::wire::dns {
namespace {

TEST(NameKey, LowersLettersAndNothingElse) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::uint64_t word = std::uint64_t{0x0101010101010101} * byte;
        const std::uint64_t expected =
            std::uint64_t{0x0101010101010101} * to_lower(static_cast<std::uint8_t>(byte));
        EXPECT_EQ(lower_word(word), expected) << byte;
    }
    EXPECT_EQ(lower_word(0x5A41'405B'7A61'00FF), 0x7A61'405B'7A61'00FF);
}

TEST(NameKey, IsTheLoweredNamePaddedWithZeros) {
    for (std::size_t size = 1; size <= 255; ++size) {
        // Exactly as many bytes on the heap as may be read, so that a sanitizer sees one too many.
        std::vector<std::uint8_t> bytes(size);
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>('A' + i % 40);
        NameKey key;
        key.bytes.fill(0xEE);
        make_key(bytes.data(), size, key);
        ASSERT_EQ(key.size, size);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(key.bytes[i], to_lower(bytes[i]));
        for (std::size_t i = size; i < (size + 7) / 8 * 8; ++i) ASSERT_EQ(key.bytes[i], 0);
        ASSERT_EQ(key.hash, hash_name(key.bytes.data(), size));
    }
}

TEST(NameKey, TailOfANameHashesLikeTheNameItIs) {
    const NameKey whole = make_key(parse_name("a.bcd.example.net").value());
    const NameKey tail = make_key(parse_name("Example.NET").value());
    EXPECT_EQ(hash_name(whole.bytes.data() + 6, whole.size - 6), tail.hash);
}

TEST(NameKey, HashesOfManyNamesDiffer) {
    std::set<std::uint64_t> seen;
    std::set<std::uint64_t> low_bits;
    for (int i = 0; i < 100'000; ++i) {
        const auto name = parse_name("h" + std::to_string(i) + ".example.net").value();
        const auto hash = make_key(name).hash;
        seen.insert(hash);
        low_bits.insert(hash & 0xfffff);
    }
    EXPECT_EQ(seen.size(), 100'000u);
    // Of 2^20 places 100,000 random draws hit about 95,300 different ones.
    EXPECT_GT(low_bits.size(), 94'500u);
}

TEST(CopyShort, CopiesExactlyTheRange) {
    for (std::size_t size = 0; size < 600; ++size) {
        std::vector<std::uint8_t> from(size);
        for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::uint8_t>(i * 7 + 1);
        std::vector<std::uint8_t> to(size);
        copy_short(to.data(), from.data(), size);
        ASSERT_EQ(to, from) << size;
    }
}

}  // namespace
}  // namespace twinsite::wire::dns
