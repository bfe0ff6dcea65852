// SPDX-License-Identifier: Apache-2.0
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "switchover/scenario/machine_parts.hpp"
#include "switchover/scenario/parse.hpp"

namespace twinsite::switchover::scenario {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxBytes = 1024 * 1024;
constexpr std::size_t kMaxTargets = 500;
constexpr std::size_t kMaxShort = 256;
constexpr std::size_t kMaxLong = 4'096;

// ---- writing

json::value write_optional(const std::optional<std::int64_t>& value) {
    if (value) return *value;
    return nullptr;
}

json::object write_target(const TargetRun& at) {
    return {
        {"name", at.name},
        {"state", to_string(at.state)},
        {"op_id", at.op_id},
        {"output", at.output},
    };
}

json::object write_step(const StepRun& at) {
    json::array targets;
    for (const auto& target : at.targets) targets.push_back(write_target(target));
    return {
        {"id", at.id},
        {"state", to_string(at.state)},
        {"phase", to_string(at.phase)},
        {"attempt", at.attempt},
        {"tries", at.tries},
        {"operations", at.operations},
        {"check_op", at.check_op},
        {"deadline", at.deadline},
        {"started_wall", write_optional(at.started_wall)},
        {"ended_wall", write_optional(at.ended_wall)},
        {"finished", at.finished},
        {"output", at.output},
        {"targets", std::move(targets)},
    };
}

json::object write_run(const Run& run) {
    json::array overrides;
    for (const auto& override : run.overrides)
        overrides.push_back({{"rule", override.rule}, {"reason", override.reason}});
    json::array warnings;
    for (const auto& warning : run.warnings) warnings.emplace_back(warning);
    json::array steps;
    for (const auto& step : run.steps) steps.push_back(write_step(step));
    json::array marks;
    for (const auto& mark : run.marks) marks.push_back(write_optional(mark));
    return {
        {"schema", 1},
        {"id", run.id},
        {"scenario", run.scenario},
        {"hash", run.hash},
        {"variant", run.variant},
        {"mode", run.mode},
        {"by", run.by},
        {"reason", run.reason},
        {"overrides", std::move(overrides)},
        {"fence_generation", run.fence_generation},
        {"fence_revision", run.fence_revision},
        {"state", to_string(run.state)},
        {"approved", run.approved},
        {"cancelling", run.cancelling},
        {"undoing", run.undoing},
        {"checks", run.checks},
        {"check_op", run.check_op},
        {"deadline", run.deadline},
        {"limit_deadline", run.limit_deadline},
        {"paused_since", run.paused_since},
        {"human_wait_ms", run.human_wait_ms},
        {"output", run.output},
        {"warnings", std::move(warnings)},
        {"seen_mono", run.seen.mono},
        {"seen_wall", run.seen.wall},
        {"started_wall", write_optional(run.started_wall)},
        {"ended_wall", write_optional(run.ended_wall)},
        {"marks", std::move(marks)},
        {"health_alone", run.health_alone},
        {"steps", std::move(steps)},
    };
}

// ---- reading

/// The members of an object. A wrong one makes `good` false and gives an empty value.
class Reader {
public:
    Reader(const json::value& value, bool& good) : object_(value.if_object()), good_(good) {
        if (object_ == nullptr) good_ = false;
    }

    std::string text(const char* name, std::size_t longest = kMaxShort) {
        const auto* value = find(name);
        const auto* text = value == nullptr ? nullptr : value->if_string();
        if (text == nullptr || text->size() > longest) return fail<std::string>();
        return std::string(*text);
    }
    bool has(const char* name) { return find(name) != nullptr; }
    bool truth(const char* name) {
        const auto* value = find(name);
        const auto* truth = value == nullptr ? nullptr : value->if_bool();
        return truth == nullptr ? fail<bool>() : *truth;
    }
    /// A time or a count: zero or more, and so much below the largest that sums do not overflow.
    std::int64_t number(const char* name) {
        constexpr std::int64_t kMost = std::int64_t{1} << 53;
        const auto* value = find(name);
        const auto* number = value == nullptr ? nullptr : value->if_int64();
        if (number == nullptr || *number < 0 || *number > kMost) return fail<std::int64_t>();
        return *number;
    }
    std::uint64_t large(const char* name) {
        const auto* value = find(name);
        if (value != nullptr && value->is_uint64()) return value->get_uint64();
        const auto* number = value == nullptr ? nullptr : value->if_int64();
        if (number == nullptr || *number < 0) return fail<std::uint64_t>();
        return static_cast<std::uint64_t>(*number);
    }
    unsigned small(const char* name) {
        constexpr std::int64_t kMost = 1'000'000;
        const auto value = number(name);
        return value > kMost ? fail<unsigned>() : static_cast<unsigned>(value);
    }
    std::optional<std::int64_t> optional(const char* name) {
        const auto* value = find(name);
        if (value != nullptr && value->is_null()) return std::nullopt;
        return number(name);
    }
    const json::array& list(const char* name, std::size_t longest) {
        static const json::array kNone;
        const auto* value = find(name);
        const auto* list = value == nullptr ? nullptr : value->if_array();
        if (list != nullptr && list->size() <= longest) return *list;
        good_ = false;
        return kNone;
    }
    template <class Value>
    Value word(const char* name, std::optional<Value> (*parse)(const std::string&)) {
        const auto value = parse(text(name));
        return value ? *value : fail<Value>();
    }

private:
    const json::value* find(const char* name) {
        return object_ == nullptr ? nullptr : object_->if_contains(name);
    }
    template <class Value>
    Value fail() {
        good_ = false;
        return Value{};
    }

    const json::object* object_;
    bool& good_;
};

TargetRun read_target(const json::value& value, bool& good) {
    Reader in(value, good);
    TargetRun out;
    out.name = in.text("name");
    out.state = in.word("state", parse_step_state);
    out.op_id = in.text("op_id", 64);
    out.output = in.text("output", kMaxLong);
    return out;
}

StepRun read_step(const json::value& value, bool& good) {
    Reader in(value, good);
    StepRun out;
    out.id = in.text("id");
    out.state = in.word("state", parse_step_state);
    out.phase = in.word("phase", parse_phase);
    out.attempt = in.small("attempt");
    out.tries = in.small("tries");
    out.operations = in.small("operations");
    out.check_op = in.text("check_op", 64);
    out.deadline = in.number("deadline");
    out.started_wall = in.optional("started_wall");
    out.ended_wall = in.optional("ended_wall");
    out.finished = in.small("finished");
    out.output = in.text("output", kMaxLong);
    for (const auto& target : in.list("targets", kMaxTargets))
        out.targets.push_back(read_target(target, good));
    return out;
}

void read_lists(Reader& in, Run& into, bool& good) {
    for (const auto& value : in.list("overrides", 20)) {
        Reader each(value, good);
        into.overrides.push_back({each.text("rule"), each.text("reason")});
    }
    for (const auto& value : in.list("warnings", 50)) {
        const auto* text = value.if_string();
        good = good && text != nullptr && text->size() <= kMaxShort;
        if (good) into.warnings.emplace_back(*text);
    }
    const auto& marks = in.list("marks", into.marks.size());
    good = good && marks.size() == into.marks.size();
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto* number = marks[i].if_int64();
        if (number != nullptr && *number >= 0)
            into.marks[i] = *number;
        else
            good = good && marks[i].is_null();
    }
    for (const auto& value : in.list("steps", kMaxSteps))
        into.steps.push_back(read_step(value, good));
}

void read_head(Reader& in, Run& into) {
    into.id = in.text("id");
    into.scenario = in.text("scenario");
    into.hash = in.text("hash");
    into.variant = in.text("variant");
    into.mode = in.text("mode");
    into.by = in.text("by");
    into.reason = in.text("reason", kMaxLong);
    into.fence_generation = in.large("fence_generation");
    into.fence_revision = in.large("fence_revision");
    into.started_wall = in.optional("started_wall");
    into.ended_wall = in.optional("ended_wall");
    into.health_alone = in.truth("health_alone");
}

void read_machine(Reader& in, Run& into) {
    into.state = in.word("state", parse_run_state);
    into.approved = in.truth("approved");
    into.cancelling = in.truth("cancelling");
    into.undoing = in.has("undoing") && in.truth("undoing");  // not in records of 0.3 and before
    into.checks = in.small("checks");
    into.check_op = in.text("check_op", 64);
    into.deadline = in.number("deadline");
    into.limit_deadline = in.number("limit_deadline");
    into.paused_since = in.number("paused_since");
    into.human_wait_ms = in.number("human_wait_ms");
    into.output = in.text("output", kMaxLong);
    into.seen.mono = in.number("seen_mono");
    into.seen.wall = in.number("seen_wall");
}

}  // namespace

std::string encode_run(const Run& run) {
    return json::serialize(write_run(run));
}

base::Result<Run> decode_run(std::string_view text) {
    const auto invalid = make_error_code(boost::system::errc::invalid_argument);
    if (text.size() > kMaxBytes) return invalid;
    base::Error failure;
    json::parse_options options;
    options.max_depth = 8;
    const auto value =
        json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
    if (failure) return invalid;
    bool good = true;
    Run out;
    Reader in(value, good);
    good = in.number("schema") == 1 && good;
    read_head(in, out);
    read_machine(in, out);
    read_lists(in, out, good);
    if (!good) return invalid;
    return out;
}

}  // namespace twinsite::switchover::scenario
