// SPDX-License-Identifier: Apache-2.0
#include "gslb/golden.hpp"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>

#include "base/file/state_file.hpp"
#include "base/text/text.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/control/explain.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostQuestions = 10'000;

struct Golden {
    control::ExplainQuestion question;
    std::vector<std::string> expect;
};

std::string text_in(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_string() ? json::value_to<std::string>(*value) : "";
}

/// nullopt when the entry has another shape.
std::optional<Golden> read_entry(const json::value& value) {
    const auto* from = value.if_object();
    const auto* expect = from == nullptr ? nullptr : from->if_contains("expect");
    if (expect == nullptr || !expect->is_array()) return std::nullopt;
    Golden out;
    const auto name = wire::dns::parse_name(text_in(*from, "name"));
    const auto type = wire::dns::parse_type(text_in(*from, "type"));
    const auto client = base::text::parse_ip(text_in(*from, "client"));
    if (!name || !type || !client) return std::nullopt;
    out.question.name = *name;
    out.question.type = *type;
    out.question.client = *client;
    if (from->contains("subnet")) {
        out.question.subnet = base::text::parse_prefix(text_in(*from, "subnet"));
        if (!out.question.subnet) return std::nullopt;
    }
    for (const auto& record : expect->get_array()) {
        if (!record.is_string()) return std::nullopt;
        out.expect.push_back(json::value_to<std::string>(record));
    }
    return out;
}

std::shared_ptr<const answer::Snapshot> all_up(
    const Intent& intent, answer::ServiceStates& states
) {
    answer::SnapshotBuilder builder(
        intent.setup.index, intent.setup.prefixes, intent.setup.steering
    );
    states = builder.initial_states();
    for (auto& service : states)
        for (auto& target : service) target.health = steering::Health::up;
    return builder.build(states);
}

std::string compare(
    const Golden& golden, const answer::Snapshot& snapshot, const answer::ServiceStates& states
) {
    auto expect = golden.expect;
    auto got = control::explain(golden.question, snapshot, states).answers;
    std::sort(expect.begin(), expect.end());
    std::sort(got.begin(), got.end());
    if (got == expect) return "";
    const auto list = [](const std::vector<std::string>& records) {
        return records.empty() ? "no record" : base::text::join(records, ", ");
    };
    return golden.question.name.to_string() + " " +
           wire::dns::type_to_string(golden.question.type) + " for " +
           to_string(golden.question.client) + " gets " + list(got) + ", not " + list(expect);
}

}  // namespace

std::vector<std::string> run_golden(const Intent& intent, const std::string& folder) {
    const auto path = folder + "/" + std::string(kGoldenFile);
    const auto refuse = [&](const std::string& why) {
        return std::vector<std::string>{std::string(kGoldenFile) + ": " + why};
    };
    const auto text = base::file::read_state_file(path);
    if (!text) return refuse(text.error().message());
    if (!*text) return {};
    base::Error failure;
    const auto root = json::parse(**text, failure);
    if (failure || !root.is_array()) return refuse("must be a JSON list");
    if (root.get_array().size() > kMostQuestions) return refuse("has more than 10000 questions");
    answer::ServiceStates states;
    const auto snapshot = all_up(intent, states);
    std::vector<std::string> out;
    for (const auto& value : root.get_array()) {
        const auto golden = read_entry(value);
        if (!golden)
            return refuse(
                "question " + std::to_string(&value - root.get_array().begin() + 1) +
                " needs name, type, client and expect"
            );
        if (auto wrong = compare(*golden, *snapshot, states); !wrong.empty())
            out.push_back(std::string(kGoldenFile) + ": " + wrong);
    }
    return out;
}

}  // namespace twinsite::gslb
