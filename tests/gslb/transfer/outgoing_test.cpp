// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/outgoing.hpp"

#include <gtest/gtest.h>

#include "gslb/transfer/transfer_reader.hpp"
#include "tests/gslb/transfer/zones.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {
namespace {

namespace type = wire::dns::type;
using Messages = std::vector<std::vector<std::uint8_t>>;

const wire::dns::Name kOrigin = wire::dns::parse_name("t.example").value();

Messages messages_of(server::TransferSeam::Reply& stream) {
    Messages out;
    std::vector<std::uint8_t> room(65'535);
    while (const std::size_t size = stream.next(room))
        out.emplace_back(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
    return out;
}

Journal journal_of(std::initializer_list<std::shared_ptr<const zone::ZoneData>> versions) {
    Journal out;
    for (auto at = versions.begin(); at + 1 != versions.end(); ++at)
        out.push_back(std::make_shared<const Difference>(*find_difference(**at, **(at + 1))));
    return out;
}

TEST(Outgoing, AWholeZoneArrivesWhole) {
    std::string lines;
    for (int i = 0; i < 3000; ++i)
        lines += "h" + std::to_string(i) + ".t.example. 60 A 192.0.2.7\n";
    lines += "a.t.example. 60 MX 5 h1.t.example.\na.t.example. 60 TXT \"x\"\n";
    const auto zone = shared_zone(7, lines);
    bool whole = false;
    Messages messages;
    {
        TransferStream stream(
            {0x4242, kOrigin, type::axfr},
            whole_zone(zone),
            std::nullopt,
            [&](bool to_the_end) { whole = to_the_end; }
        );
        messages = messages_of(stream);
        EXPECT_FALSE(stream.failed());
    }
    EXPECT_TRUE(whole);
    EXPECT_GT(messages.size(), 2U);
    TransferReader reader({kOrigin, 0x4242, std::nullopt});
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto progress = reader.take(messages[i]);
        ASSERT_TRUE(progress) << progress.error().message();
        EXPECT_EQ(*progress == TransferReader::Progress::done, i + 1 == messages.size());
    }
    std::string why;
    const auto back = assemble_zone(kOrigin, std::move(reader.records()), why);
    ASSERT_TRUE(back) << why;
    EXPECT_EQ(back->serial, 7U);
    EXPECT_FALSE(find_difference(*zone, *back));
    // A parser that shares nothing with ours agrees.
    EXPECT_EQ(
        tests::parse_reply(messages.front()).answer.front(),
        "t.example. 3600 in soa ns1.t.example. host.t.example. 7 10 3 40 60"
    );
}

TEST(Outgoing, DifferencesArriveInTheirOrder) {
    const auto first = shared_zone(1);
    const auto second = shared_zone(2, "a.t.example. 60 A 192.0.2.7\n");
    const auto third = shared_zone(3, "b.t.example. 60 A 192.0.2.8\n");
    const auto journal = journal_of({first, second, third});
    EXPECT_EQ(journal_since(journal, 2).size(), 1U);
    EXPECT_TRUE(journal_since(journal, 3).empty());
    EXPECT_TRUE(journal_since(journal, 99).empty());
    TransferStream stream(
        {1, kOrigin, type::ixfr}, differences(third, journal_since(journal, 1)), std::nullopt, {}
    );
    TransferReader reader({kOrigin, 1, 1});
    for (const auto& message : messages_of(stream)) ASSERT_TRUE(reader.take(message));
    ASSERT_EQ(reader.kind(), TransferReader::Kind::differences);
    ASSERT_EQ(reader.differences().size(), 2U);
    const auto result = apply_differences(*first, reader.differences());
    ASSERT_TRUE(result);
    EXPECT_FALSE(find_difference(*result, *third));
}

TEST(Outgoing, TheSoaAloneSaysThatThereIsNothingNewer) {
    TransferStream stream({1, kOrigin, type::ixfr}, only_soa(shared_zone(7)), std::nullopt, {});
    TransferReader reader({kOrigin, 1, 7});
    const auto messages = messages_of(stream);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(reader.take(messages[0]).value(), TransferReader::Progress::done);
    EXPECT_EQ(reader.kind(), TransferReader::Kind::up_to_date);
}

TEST(Outgoing, EveryMessageIsSigned) {
    std::string lines;
    for (int i = 0; i < 3000; ++i)
        lines += "h" + std::to_string(i) + ".t.example. 60 A 192.0.2.7\n";
    const TsigKey key{wire::dns::parse_name("k").value(), {}, "0123456789abcdef"};
    TsigSession ours(key);
    TsigSession theirs(key);
    std::vector<std::uint8_t> request(512);
    std::size_t size = wire::dns::kHeaderBytes;
    const auto now = static_cast<std::uint64_t>(::time(nullptr));
    ASSERT_TRUE(theirs.sign(request, size, now));
    request.resize(size);
    ASSERT_EQ(ours.verify(request, now), TsigError::none);
    TransferStream stream({1, kOrigin, type::axfr}, whole_zone(shared_zone(7, lines)), ours, {});
    const auto messages = messages_of(stream);
    EXPECT_GT(messages.size(), 2U);
    for (const auto& message : messages) EXPECT_EQ(theirs.verify(message, now), TsigError::none);
    EXPECT_TRUE(theirs.is_complete());
}

TEST(Outgoing, AStreamThatIsDroppedSaysSo) {
    bool whole = true;
    {
        TransferStream stream(
            {1, kOrigin, type::axfr},
            whole_zone(shared_zone(7)),
            std::nullopt,
            [&](bool all) { whole = all; }
        );
    }
    EXPECT_FALSE(whole);
}

}  // namespace
}  // namespace twinsite::gslb::transfer
