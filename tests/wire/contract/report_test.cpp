// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/report.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "wire/contract/error.hpp"

namespace twinsite::wire::contract {
namespace {

Report make_report() {
    Report out;
    out.site = "east";
    out.name = "if1";
    out.role = "interface";
    out.version = "1.2";
    out.boot_id = "b1";
    out.seq = 42;
    out.interval_ms = 10'000;
    out.sent_wall_ms = 1'700'000'000'000;
    out.mono_ms = 5;
    out.backlog = 3;
    out.dropped = 2;
    out.backfill = true;
    out.age_ms = 17;
    out.fence = {1, 7};
    Sample sample;
    sample.collector = "disk";
    sample.instance = "/var";
    sample.status = Status::stuck;
    sample.age_ms = 9;
    sample.detail = "no answer for 5 s";
    sample.numbers = {{"used_percent", 12.5}, {"avail_bytes", 1e12}};
    sample.texts = {{"type", "ext4"}};
    out.samples.push_back(sample);
    return out;
}

TEST(Report, SurvivesBeingWrittenAndRead) {
    const auto decoded = decode_report(encode_report(make_report()));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->site, "east");
    EXPECT_EQ(decoded->name, "if1");
    EXPECT_EQ(decoded->seq, 42U);
    EXPECT_EQ(decoded->sent_wall_ms, 1'700'000'000'000U);
    EXPECT_EQ(decoded->backlog, 3U);
    EXPECT_EQ(decoded->dropped, 2U);
    EXPECT_TRUE(decoded->backfill);
    EXPECT_EQ(decoded->age_ms, 17U);
    EXPECT_EQ(decoded->fence, (Fence{1, 7}));
    ASSERT_EQ(decoded->samples.size(), 1U);
    const auto& sample = decoded->samples[0];
    EXPECT_EQ(sample.status, Status::stuck);
    EXPECT_EQ(sample.instance, "/var");
    EXPECT_EQ(sample.numbers, make_report().samples[0].numbers);
    EXPECT_EQ(sample.texts, make_report().samples[0].texts);
    EXPECT_EQ(encode_report(*decoded), encode_report(make_report()));
}

TEST(Report, WhatIsWrittenCanAlwaysBeRead) {
    auto report = make_report();
    report.version = std::string(10'000, 'v');
    report.samples[0].detail = "bad \xff\xc3 bytes \xed\xa0\x80 and " + std::string(5'000, 'x');
    report.samples[0].numbers.emplace_back("nan", std::numeric_limits<double>::quiet_NaN());
    report.samples[0].numbers.emplace_back("inf", std::numeric_limits<double>::infinity());
    report.samples.resize(3, report.samples[0]);
    report.samples[0].detail += "\xe4\xb8";
    const auto decoded = decode_report(encode_report(report));
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(decoded->samples[0].numbers.size(), 2U) << "what is no number is left out";
    EXPECT_EQ(decoded->samples[0].detail.size(), kMaxTextBytes);
}

TEST(Report, UnknownMembersAreIgnored) {
    const auto decoded = decode_report(
        R"({"schema":1,"site":"east","name":"if1","boot_id":"b","seq":1,"interval_ms":1000,)"
        R"("new":{"a":[1,2]},"samples":[{"collector":"cpu","status":"ok","more":1}]})"
    );
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->samples.size(), 1U);
    EXPECT_EQ(decoded->fence, Fence{});
}

TEST(Report, WrongMembersAreRefused) {
    const auto failure = [](const std::string& members) {
        const auto decoded = decode_report(
            R"({"schema":1,"site":"east","name":"if1","boot_id":"b","seq":1,"interval_ms":1,)" +
            members + "}"
        );
        return decoded ? base::Error() : decoded.error();
    };
    EXPECT_EQ(failure(R"("x":1)"), base::Error());
    EXPECT_EQ(failure(R"("seq":-1)"), make_error_code(Errc::bad_member));
    EXPECT_EQ(failure(R"("seq":1.5)"), make_error_code(Errc::bad_member));
    EXPECT_EQ(failure(R"("name":"../x")"), make_error_code(Errc::bad_member));
    EXPECT_EQ(failure(R"("name":5)"), make_error_code(Errc::bad_member));
    EXPECT_EQ(failure(R"("fence":{"generation":1})"), make_error_code(Errc::bad_fence));
    EXPECT_EQ(failure(R"("samples":{})"), make_error_code(Errc::bad_member));
    EXPECT_EQ(failure(R"("samples":[1])"), make_error_code(Errc::bad_member));
    EXPECT_EQ(
        failure(R"("samples":[{"collector":"c","status":"fine"}])"),
        make_error_code(Errc::bad_member)
    );
    EXPECT_EQ(
        failure(R"("samples":[{"collector":"c","status":"ok","numbers":{"a":"1"}}])"),
        make_error_code(Errc::bad_member)
    );
    EXPECT_EQ(
        failure(R"("samples":[{"collector":"c","status":"ok","numbers":{"a":1e999}}])"),
        make_error_code(Errc::bad_member)
    );
    EXPECT_EQ(
        failure(R"("version":")" + std::string(5'000, 'x') + "\""), make_error_code(Errc::too_large)
    );
}

TEST(Report, WhatIsNoMessageIsRefused) {
    EXPECT_EQ(decode_report("").error(), make_error_code(Errc::not_json));
    EXPECT_EQ(decode_report("[]").error(), make_error_code(Errc::not_json));
    EXPECT_EQ(decode_report(std::string(100'000, '[')).error(), make_error_code(Errc::not_json));
    EXPECT_EQ(decode_report("{}").error(), make_error_code(Errc::bad_member));
    EXPECT_EQ(decode_report(R"({"schema":2})").error(), make_error_code(Errc::unknown_schema));
    EXPECT_EQ(
        decode_report(std::string(kMaxBodyBytes + 1, ' ')).error(), make_error_code(Errc::too_large)
    );
}

TEST(Batch, SurvivesBeingWrittenAndRead) {
    Batch batch;
    batch.site = "east";
    batch.name = "mon-east";
    batch.boot_id = "m";
    batch.seq = 3;
    batch.interval_ms = 1'000;
    batch.reports = {make_report()};
    ProbeResult probe;
    probe.name = "west-slb";
    probe.kind = "http";
    probe.subject = "site:west";
    probe.view = "east";
    probe.ok = true;
    probe.latency_ms = 4;
    probe.age_ms = 5;
    probe.detail = "200";
    batch.probes = {probe};
    const auto decoded = decode_batch(encode_batch(batch));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->reports.size(), 1U);
    ASSERT_EQ(decoded->probes.size(), 1U);
    EXPECT_TRUE(decoded->probes[0].ok);
    EXPECT_EQ(encode_batch(*decoded), encode_batch(batch));
}

TEST(Batch, OneBadReportMakesItBad) {
    EXPECT_FALSE(decode_batch(
        R"({"schema":1,"site":"e","name":"m","boot_id":"b","seq":1,"interval_ms":1,"reports":[{}]})"
    ));
}

TEST(Ack, SurvivesBeingWrittenAndRead) {
    const auto decoded = decode_ack(encode_ack({"twinsite://a/switchover/s", 12, 34}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->server, "twinsite://a/switchover/s");
    EXPECT_EQ(decoded->server_wall_ms, 12U);
    EXPECT_EQ(decoded->accepted, 34U);
}

}  // namespace
}  // namespace twinsite::wire::contract
