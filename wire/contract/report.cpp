// SPDX-License-Identifier: Apache-2.0
#include "wire/contract/report.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "wire/contract/identity.hpp"
#include "wire/contract/json_object.hpp"

namespace twinsite::wire::contract {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxWordBytes = 63;
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxMembers = 256;  // numbers, and texts, of one sample
constexpr std::array<std::string_view, 4> kStatuses = {"ok", "missing", "stuck", "error"};

std::optional<Status> parse_status(std::string_view text) {
    for (std::size_t at = 0; at < kStatuses.size(); ++at)
        if (kStatuses[at] == text) return static_cast<Status>(at);
    return std::nullopt;
}

json::object to_json(const Sample& sample) {
    json::object numbers;
    for (const auto& [name, value] : sample.numbers)
        if (std::isfinite(value)) numbers[clean_text(name, kMaxNameBytes)] = value;
    json::object texts;
    for (const auto& [name, value] : sample.texts)
        texts[clean_text(name, kMaxNameBytes)] = clean_text(value, kMaxTextBytes);
    return {
        {"collector", clean_text(sample.collector, kMaxNameBytes)},
        {"instance", clean_text(sample.instance, kMaxTextBytes)},
        {"status", to_string(sample.status)},
        {"age_ms", sample.age_ms},
        {"detail", clean_text(sample.detail, kMaxTextBytes)},
        {"numbers", std::move(numbers)},
        {"texts", std::move(texts)},
    };
}

json::object to_json(const Report& report) {
    json::array samples;
    for (const auto& sample : report.samples) {
        if (samples.size() == kMaxSamples) break;
        samples.push_back(to_json(sample));
    }
    return {
        {"schema", 1},
        {"site", report.site},
        {"name", report.name},
        {"role", clean_text(report.role, kMaxNameBytes)},
        {"version", clean_text(report.version, kMaxNameBytes)},
        {"boot_id", clean_text(report.boot_id, kMaxNameBytes)},
        {"seq", report.seq},
        {"interval_ms", report.interval_ms},
        {"sent_wall_ms", report.sent_wall_ms},
        {"mono_ms", report.mono_ms},
        {"backlog", report.backlog},
        {"dropped", report.dropped},
        {"backfill", report.backfill},
        {"age_ms", report.age_ms},
        {"fence", to_json(report.fence)},
        {"samples", std::move(samples)},
    };
}

json::object to_json(const ProbeResult& probe) {
    return {
        {"name", clean_text(probe.name, kMaxNameBytes)},
        {"kind", clean_text(probe.kind, kMaxNameBytes)},
        {"subject", clean_text(probe.subject, kMaxNameBytes)},
        {"view", clean_text(probe.view, kMaxNameBytes)},
        {"ok", probe.ok},
        {"latency_ms", probe.latency_ms},
        {"age_ms", probe.age_ms},
        {"detail", clean_text(probe.detail, kMaxTextBytes)},
    };
}

void read_numbers(const json::object& members, JsonObject& at, Sample& out) {
    if (members.size() > kMaxMembers) return at.fail(Errc::too_large);
    out.numbers.reserve(members.size());
    for (const auto& [name, value] : members) {
        if (name.size() > kMaxNameBytes) return at.fail(Errc::too_large);
        if (!value.is_number()) return at.fail(Errc::bad_member);
        const auto number = value.to_number<double>();
        if (!std::isfinite(number)) return at.fail(Errc::bad_member);
        out.numbers.emplace_back(std::string(name), number);
    }
}

void read_texts(const json::object& members, JsonObject& at, Sample& out) {
    if (members.size() > kMaxMembers) return at.fail(Errc::too_large);
    out.texts.reserve(members.size());
    for (const auto& [name, value] : members) {
        const auto* text = value.if_string();
        if (text == nullptr) return at.fail(Errc::bad_member);
        if (name.size() > kMaxNameBytes || text->size() > kMaxTextBytes)
            return at.fail(Errc::too_large);
        out.texts.emplace_back(std::string(name), std::string(text->data(), text->size()));
    }
}

base::Result<Sample> read_sample(const json::value& value) {
    JsonObject at(value);
    Sample out;
    out.collector = at.text("collector", kMaxNameBytes);
    out.instance = at.text_or_empty("instance", kMaxTextBytes);
    const auto status = parse_status(at.text("status", kMaxNameBytes));
    if (!status) at.fail(Errc::bad_member);
    out.status = status.value_or(Status::error);
    out.age_ms = at.number_or_zero("age_ms");
    out.detail = at.text_or_empty("detail", kMaxTextBytes);
    if (const auto* numbers = at.object("numbers")) read_numbers(*numbers, at, out);
    if (const auto* texts = at.object("texts")) read_texts(*texts, at, out);
    if (at.failure()) return *at.failure();
    return out;
}

/// Site and name of the sender: words, because they become parts of keys and paths.
void read_sender(JsonObject& at, std::string& site, std::string& name) {
    site = at.text("site", kMaxWordBytes);
    name = at.text("name", kMaxWordBytes);
    if (!at.failure() && (!is_word(site) || !is_word(name))) at.fail(Errc::bad_member);
}

base::Result<Report> read_report(const json::value& value) {
    JsonObject at(value);
    Report out;
    read_sender(at, out.site, out.name);
    out.role = at.text_or_empty("role", kMaxNameBytes);
    out.version = at.text_or_empty("version", kMaxNameBytes);
    out.boot_id = at.text("boot_id", kMaxNameBytes);
    out.seq = at.number("seq");
    out.interval_ms = at.number("interval_ms");
    out.sent_wall_ms = at.number_or_zero("sent_wall_ms");
    out.mono_ms = at.number_or_zero("mono_ms");
    out.backlog = at.number_or_zero("backlog");
    out.dropped = at.number_or_zero("dropped");
    out.backfill = at.truth_or_false("backfill");
    out.age_ms = at.number_or_zero("age_ms");
    out.fence = at.fence_or_zero("fence");
    if (const auto* samples = at.list("samples", kMaxSamples)) {
        out.samples.reserve(samples->size());
        for (const auto& item : *samples) {
            auto sample = read_sample(item);
            if (!sample) return sample.error();
            out.samples.push_back(std::move(*sample));
        }
    }
    if (at.failure()) return *at.failure();
    return out;
}

base::Result<ProbeResult> read_probe(const json::value& value) {
    JsonObject at(value);
    ProbeResult out;
    out.name = at.text("name", kMaxNameBytes);
    out.kind = at.text("kind", kMaxNameBytes);
    out.subject = at.text("subject", kMaxNameBytes);
    out.view = at.text_or_empty("view", kMaxNameBytes);
    out.ok = at.truth_or_false("ok");
    out.latency_ms = at.number_or_zero("latency_ms");
    out.age_ms = at.number_or_zero("age_ms");
    out.detail = at.text_or_empty("detail", kMaxTextBytes);
    if (at.failure()) return *at.failure();
    return out;
}

}  // namespace

std::string_view to_string(Status status) {
    return kStatuses[static_cast<std::size_t>(status)];
}

std::string encode_report(const Report& report) {
    return json::serialize(to_json(report));
}

base::Result<Report> decode_report(std::string_view text) {
    const auto value = parse_message(text, kMaxBodyBytes);
    if (!value) return value.error();
    return read_report(*value);
}

std::string encode_batch(const Batch& batch) {
    json::array reports;
    for (const auto& report : batch.reports) reports.push_back(to_json(report));
    json::array probes;
    for (const auto& probe : batch.probes) probes.push_back(to_json(probe));
    return json::serialize(json::object{
        {"schema", 1},
        {"site", batch.site},
        {"name", batch.name},
        {"version", clean_text(batch.version, kMaxNameBytes)},
        {"boot_id", clean_text(batch.boot_id, kMaxNameBytes)},
        {"seq", batch.seq},
        {"interval_ms", batch.interval_ms},
        {"sent_wall_ms", batch.sent_wall_ms},
        {"mono_ms", batch.mono_ms},
        {"reports", std::move(reports)},
        {"probes", std::move(probes)},
    });
}

base::Result<Batch> decode_batch(std::string_view text) {
    const auto value = parse_message(text, kMaxBodyBytes);
    if (!value) return value.error();
    JsonObject at(*value);
    Batch out;
    read_sender(at, out.site, out.name);
    out.version = at.text_or_empty("version", kMaxNameBytes);
    out.boot_id = at.text("boot_id", kMaxNameBytes);
    out.seq = at.number("seq");
    out.interval_ms = at.number("interval_ms");
    out.sent_wall_ms = at.number_or_zero("sent_wall_ms");
    out.mono_ms = at.number_or_zero("mono_ms");
    if (const auto* reports = at.list("reports", kMaxReports))
        for (const auto& item : *reports) {
            auto report = read_report(item);
            if (!report) return report.error();
            out.reports.push_back(std::move(*report));
        }
    if (const auto* probes = at.list("probes", kMaxReports))
        for (const auto& item : *probes) {
            auto probe = read_probe(item);
            if (!probe) return probe.error();
            out.probes.push_back(std::move(*probe));
        }
    if (at.failure()) return *at.failure();
    return out;
}

std::string encode_ack(const Ack& ack) {
    return json::serialize(json::object{
        {"schema", 1},
        {"server", clean_text(ack.server, kMaxTextBytes)},
        {"server_wall_ms", ack.server_wall_ms},
        {"accepted", ack.accepted},
    });
}

base::Result<Ack> decode_ack(std::string_view text) {
    const auto value = parse_message(text, kMaxBodyBytes);
    if (!value) return value.error();
    JsonObject at(*value);
    Ack out;
    out.server = at.text_or_empty("server", kMaxTextBytes);
    out.server_wall_ms = at.number_or_zero("server_wall_ms");
    out.accepted = at.number("accepted");
    if (at.failure()) return *at.failure();
    return out;
}

}  // namespace twinsite::wire::contract
