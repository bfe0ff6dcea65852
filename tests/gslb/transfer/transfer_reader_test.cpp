// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/transfer_reader.hpp"

#include <gtest/gtest.h>

#include "gslb/transfer/outgoing.hpp"
#include "tests/gslb/transfer/zones.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::transfer {
namespace {

namespace dns = wire::dns;
using Kind = TransferReader::Kind;
using Progress = TransferReader::Progress;

const dns::Name kOrigin = dns::parse_name("t.example").value();

ZoneRecord soa(std::uint32_t serial) {
    const auto zone = zone_with(serial);
    const auto* const set = find_soa(zone);
    return {set->owner, set->type, set->ttl, set->rdatas[0]};
}

ZoneRecord address(std::string_view owner, std::uint8_t last) {
    return {dns::parse_name(owner).value(), dns::type::a, 60, {192, 0, 2, last}};
}

class Listed final : public RecordSource {
public:
    explicit Listed(std::vector<ZoneRecord> records) : records_(std::move(records)) {}
    bool next(RecordView& out) override {
        if (at_ == records_.size()) return false;
        out = view(records_[at_++]);
        return true;
    }

private:
    std::vector<ZoneRecord> records_;
    std::size_t at_ = 0;
};

std::vector<std::uint8_t> message(std::vector<ZoneRecord> records) {
    std::vector<std::uint8_t> room(65'535);
    TransferStream stream(
        {9, kOrigin, dns::type::ixfr},
        std::make_unique<Listed>(std::move(records)),
        std::nullopt,
        {}
    );
    room.resize(stream.next(room));
    return room;
}

base::Result<Progress> take(TransferReader& reader, std::vector<ZoneRecord> records) {
    return reader.take(message(std::move(records)));
}

TEST(TransferReader, TakesAZoneRecordByRecord) {
    TransferReader reader({kOrigin, 9, std::nullopt});
    EXPECT_EQ(take(reader, {soa(7)}).value(), Progress::more);
    EXPECT_EQ(take(reader, {address("a.t.example", 1)}).value(), Progress::more);
    EXPECT_EQ(take(reader, {address("b.t.example", 2), soa(7)}).value(), Progress::done);
    EXPECT_EQ(reader.kind(), Kind::whole);
    EXPECT_EQ(reader.records().size(), 3U);
    EXPECT_FALSE(take(reader, {soa(7)})) << "after the end";
}

TEST(TransferReader, TakesTheWholeZoneInAnswerToIxfr) {
    TransferReader reader({kOrigin, 9, 3});
    EXPECT_EQ(take(reader, {soa(7), address("a.t.example", 1), soa(7)}).value(), Progress::done);
    EXPECT_EQ(reader.kind(), Kind::whole);
}

TEST(TransferReader, TakesDifferencesOverSeveralMessages) {
    TransferReader reader({kOrigin, 9, 3});
    EXPECT_EQ(take(reader, {soa(7)}).value(), Progress::more) << "newer: more must follow";
    EXPECT_EQ(take(reader, {soa(3), address("a.t.example", 1)}).value(), Progress::more);
    EXPECT_EQ(take(reader, {soa(5)}).value(), Progress::more);
    EXPECT_EQ(take(reader, {soa(5), soa(7), address("a.t.example", 2)}).value(), Progress::more);
    EXPECT_EQ(take(reader, {soa(7)}).value(), Progress::done);
    ASSERT_EQ(reader.differences().size(), 2U);
    EXPECT_EQ(reader.differences()[0].removed.size(), 2U);
    EXPECT_EQ(reader.differences()[1].added.size(), 2U);
}

TEST(TransferReader, KnowsThatThereIsNothingNewer) {
    TransferReader same({kOrigin, 9, 7});
    EXPECT_EQ(take(same, {soa(7)}).value(), Progress::done);
    EXPECT_EQ(same.kind(), Kind::up_to_date);
    TransferReader behind({kOrigin, 9, 7});
    EXPECT_EQ(take(behind, {soa(6)}).value(), Progress::done);
    EXPECT_EQ(behind.kind(), Kind::up_to_date);
}

TEST(TransferReader, RefusesWhatIsNotATransfer) {
    const auto error_of = [](std::optional<std::uint32_t> have, std::vector<ZoneRecord> records) {
        TransferReader reader({kOrigin, 9, have});
        const auto taken = take(reader, std::move(records));
        return taken ? base::Error() : taken.error();
    };
    const base::Error malformed(Errc::malformed);
    const base::Error gap(Errc::not_incremental);
    EXPECT_EQ(error_of({}, {address("a.t.example", 1)}), malformed) << "no SOA first";
    EXPECT_EQ(error_of({}, {soa(7), soa(8)}), malformed) << "another SOA at the end";
    EXPECT_EQ(error_of(3, {soa(7), soa(4)}), gap) << "from a version that is not here";
    EXPECT_EQ(error_of(3, {soa(7), soa(3), soa(5), soa(6)}), gap);
    TransferReader of_another({dns::parse_name("u.example").value(), 9, std::nullopt});
    EXPECT_EQ(take(of_another, {soa(7)}).error(), base::Error(Errc::wrong_zone));
    EXPECT_EQ(error_of({}, {soa(7), {kOrigin, dns::type::a, 60, {1, 2, 3}}}), malformed);
    EXPECT_EQ(error_of({}, {soa(7), {kOrigin, dns::type::opt, 60, {}}}), malformed);
}

TEST(TransferReader, ChecksTheHeader) {
    const auto good = message({soa(7)});
    const auto taken = [&](std::size_t at, std::uint8_t value) {
        auto bytes = good;
        bytes[at] = value;
        return TransferReader({kOrigin, 9, 7}).take(bytes);
    };
    EXPECT_TRUE(taken(1, 9));
    EXPECT_FALSE(taken(1, 8)) << "another identifier";
    EXPECT_FALSE(taken(2, 0)) << "a question";
    EXPECT_FALSE(taken(2, 0x82)) << "truncated";
    EXPECT_FALSE(taken(7, 2)) << "fewer records than promised";
    EXPECT_EQ(taken(3, 5).error(), base::Error(Errc::refused));
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(TransferReader({kOrigin, 9, 7}).take({good.data(), size})) << size;
}

TEST(TransferReader, UncompressesNamesInRdata) {
    auto bytes = message({soa(7)});
    bytes[7] = 2;
    // An MX of the origin whose exchange is "a." + the question's name.
    const std::uint8_t mx[] = {0xc0, 12, 0, 15, 0, 1, 0, 0, 0, 60, 0, 6, 0, 5, 1, 'a', 0xc0, 12};
    bytes.insert(bytes.end(), std::begin(mx), std::end(mx));
    TransferReader reader({kOrigin, 9, std::nullopt});
    ASSERT_TRUE(reader.take(bytes));
    ASSERT_EQ(reader.records().size(), 2U);
    const auto wanted = dns::parse_name("a.t.example").value();
    std::vector<std::uint8_t> rdata{0, 5};
    rdata.insert(rdata.end(), wanted.wire().begin(), wanted.wire().end());
    EXPECT_EQ(reader.records()[1].rdata, rdata);
}

TEST(TransferReader, AZoneThatCannotBeServedIsRefused) {
    std::string why;
    EXPECT_FALSE(assemble_zone(kOrigin, {soa(7)}, why));
    EXPECT_NE(why.find("NS"), std::string::npos) << why;
}

}  // namespace
}  // namespace twinsite::gslb::transfer
