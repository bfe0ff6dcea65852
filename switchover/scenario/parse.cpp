// SPDX-License-Identifier: Apache-2.0
#include "switchover/scenario/parse.hpp"

#include <algorithm>

#include "switchover/scenario/parse_parts.hpp"

namespace twinsite::switchover::scenario {

namespace {

constexpr Milliseconds kDay{24 * 3'600'000};
constexpr Milliseconds kHour{3'600'000};
constexpr std::size_t kMaxNameBytes = 63;

Trigger parse_trigger(Cursor at, const Names& known) {
    Trigger out;
    if (auto all = at.find("all")) out.all = parse_expressions(*all, known, Use::trigger);
    if (auto any = at.find("any")) out.any = parse_expressions(*any, known, Use::trigger);
    if (auto unless = at.find("unless"))
        out.unless = parse_expressions(*unless, known, Use::trigger);
    out.lasting = at.in_range("for", Milliseconds(0), kDay, out.lasting);
    at.finish();
    return out;
}

Verify parse_verify(Cursor at, const Names& known) {
    Verify out;
    out.check = parse_expressions(at.child("check"), known, Use::check);
    out.hold = at.in_range("hold", Milliseconds(0), kHour, out.hold);
    out.within = at.in_range("within", Milliseconds(100), kHour, out.within);
    if (out.hold > out.within) at.error("'hold' must not be longer than 'within'");
    at.finish();
    return out;
}

void parse_head(Cursor& at, const Names& known, Scenario& into) {
    auto schema = at.child("schema");
    if (schema.exists() && schema.value<std::string>() != "twinsite/1")
        schema.error("must be twinsite/1");
    if (auto name = at.child("scenario"); name.exists()) {
        into.name = name.value<std::string>();
        check_id(name, into.name, kMaxNameBytes);
    }
    into.title = {into.name, into.name};
    if (auto title = at.find("title")) into.title = parse_text(*title);
    into.kind = static_cast<Kind>(
        at.one_of("kind", {"site-down", "failback", "other"}, static_cast<std::size_t>(Kind::other))
    );
    into.mode = static_cast<Mode>(
        at.one_of("mode", {"auto", "semi", "off"}, static_cast<std::size_t>(Mode::semi))
    );
    if (auto site = at.find("site")) {
        into.site = site->value<std::string>();
        if (std::find(known.sites.begin(), known.sites.end(), into.site) == known.sites.end())
            site->unknown("site", into.site, known.sites);
    }
    if ((into.kind == Kind::other) != into.site.empty())
        at.error("'site' belongs to the kinds site-down and failback, and must be there with them");
}

void parse_rules(Cursor& at, const Names& known, Scenario& into) {
    if (auto locks = at.find("locks"))
        into.locks = parse_words(*locks);
    else if (!into.site.empty())
        into.locks = {"site/" + into.site};
    std::sort(into.locks.begin(), into.locks.end());
    if (auto target = at.find("rto_target")) into.rto_target = target->value_or(Milliseconds(0));
    if (auto trigger = at.find("trigger")) into.trigger = parse_trigger(*trigger, known);
    if (auto require = at.find("require"))
        into.require = parse_expressions(*require, known, Use::check);
    if (auto safety = at.find("safety"))
        into.safety = parse_expressions(*safety, known, Use::check);
    if (auto approval = at.find("approval")) {
        into.approval_wait =
            approval->in_range("wait", Milliseconds(1'000), kDay, Milliseconds(90'000));
        approval->finish();
    }
    into.limit = at.in_range("limit", Milliseconds(1'000), kDay, into.limit);
    into.cooldown = at.in_range("cooldown", Milliseconds(0), 7 * kDay, into.cooldown);
    if (auto failback = at.find("failback")) {
        into.failback = failback->value<std::string>();
        const auto& all = known.scenarios;
        if (!all.empty() && std::find(all.begin(), all.end(), into.failback) == all.end())
            failback->unknown("scenario", into.failback, all);
    }
}

void parse_variants(Cursor at, Scenario& into) {
    std::vector<std::string> ids;
    for (const auto& step : into.steps) ids.push_back(step.id);
    for (auto& [name, variant] : at.entries()) {
        check_id(variant, name, kMaxNameBytes);
        auto& skip = into.variants[name];
        if (auto list = variant.find("skip")) skip = parse_words(*list);
        for (const auto& step : skip)
            if (std::find(ids.begin(), ids.end(), step) == ids.end())
                variant.unknown("step", step, ids);
        variant.finish();
        if (into.variants.size() > kMaxList) return;
    }
}

}  // namespace

Scenario parse_scenario(Cursor at, const Names& known) {
    Scenario out;
    parse_head(at, known, out);
    parse_rules(at, known, out);
    StepDefaults defaults;
    if (auto given = at.find("defaults")) defaults = parse_defaults(*given);
    out.steps = parse_steps(at.child("steps"), known, defaults);
    if (auto variants = at.find("variants")) parse_variants(*variants, out);
    if (auto verify = at.find("verify")) out.verify = parse_verify(*verify, known);
    at.finish();
    return out;
}

Parsed parse_source(const std::string& text, const std::string& name_of_file, const Names& known) {
    Parsed out;
    if (text.size() > kMaxSourceBytes) {
        out.findings.push_back({name_of_file, 0, 0, "", "is larger than 256 KiB"});
        return out;
    }
    const auto document = base::config::Document::parse(text, name_of_file);
    out.scenario = parse_scenario(document.root(), known);
    out.findings = document.findings();
    out.asked = document.asked();
    return out;
}

const Step* Scenario::find_step(const std::string& id) const {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.id == id; });
    return found == steps.end() ? nullptr : &*found;
}

const char* to_string(Mode mode) {
    switch (mode) {
        case Mode::automatic:
            return "auto";
        case Mode::semi:
            return "semi";
        case Mode::off:
            return "off";
    }
    return "";
}

const char* to_string(Kind kind) {
    switch (kind) {
        case Kind::site_down:
            return "site-down";
        case Kind::failback:
            return "failback";
        case Kind::other:
            return "other";
    }
    return "";
}

std::optional<Mode> parse_mode(const std::string& text) {
    for (const auto mode : {Mode::automatic, Mode::semi, Mode::off})
        if (text == to_string(mode)) return mode;
    return std::nullopt;
}

}  // namespace twinsite::switchover::scenario
