// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/event_hub.hpp"

#include <algorithm>
#include <vector>

#include <boost/json.hpp>

#include "base/http/event_stream.hpp"
#include "switchover/api/host_json.hpp"
#include "switchover/api/json.hpp"

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kEvery{2};
constexpr std::size_t kStreams = 64;
constexpr std::ptrdiff_t kStreamsPerCaller = 16;
/// Hosts in one event: with more the stream would take more than a slow line carries.
constexpr std::size_t kHostsPerEvent = 400;
/// In the event `hosts`: one that is larger than a stream's buffer would end each stream, and each
/// that is opened anew.
constexpr std::size_t kHostsBytes = 512 * 1024;
constexpr std::size_t kHostBytes = 16 * 1024;
constexpr std::size_t kHostTextBytes = 128;
/// A run with thousands of targets is told without them.
constexpr std::size_t kRunBytes = 256 * 1024;
/// What a stream begins with waits in its buffer as a whole.
constexpr std::size_t kFirstBytes = base::http::EventStream::kUnsentBytes - 64 * 1024;

void cut_texts(json::value& in) {
    if (auto* text = in.if_string(); text && text->size() > kHostTextBytes) {
        auto end = kHostTextBytes;
        // Not inside a UTF-8 character: continuation bytes are 10xxxxxx.
        while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xC0) == 0x80) --end;
        text->resize(end);
    } else if (auto* list = in.if_array()) {
        for (auto& item : *list) cut_texts(item);
    } else if (auto* object = in.if_object()) {
        for (auto& member : *object) cut_texts(member.value());
    }
}

/// A host without its lists when it has more of them than a page shows. What agents report is
/// theirs to choose.
std::string short_text(json::object host) {
    json::value whole(std::move(host));
    cut_texts(whole);
    auto out = json::serialize(whole);
    if (out.size() <= kHostBytes) return out;
    for (const auto* name : {"disks", "processes", "collectors"})
        whole.as_object()[name] = json::array();
    whole.as_object()["truncated"] = true;
    return json::serialize(whole);
}

}  // namespace

std::optional<base::http::Response> EventHub::add(const Caller& caller, Stream stream) {
    const auto own = std::count_if(members_.begin(), members_.end(), [&](const Member& member) {
        return member.who == caller.who;
    });
    if (stopped_ || members_.size() >= kStreams || own >= kStreamsPerCaller)
        return refuse(503, "Not available", "too many event streams are open", "streams");
    const auto view = context_.backend.overview();
    const auto overview = json::serialize(to_json(view, context_.now().wall_ms));
    const auto hosts = hosts_text();
    send(stream, "overview", overview);
    send(stream, "hosts", hosts);
    auto size = overview.size() + hosts.size();
    for (const auto& active : view.active_runs) {
        const auto run = context_.backend.run(active.id);
        if (!run || !*run) continue;
        const auto text = run_text(**run);
        size += text.size();
        if (size > kFirstBytes) break;  // comes with its next change
        send(stream, "run", text);
    }
    const auto key = ++last_key_;
    stream->on_gone([this, key] {
        members_.remove_if([key](const Member& member) { return member.key == key; });
    });
    members_.push_back({key, std::move(stream), caller.who, caller.session});
    return std::nullopt;
}

bool EventHub::send(const Stream& stream, const char* event, const std::string& data) {
    return stream->send(event, std::to_string(++last_id_), data);
}

void EventHub::send_all(const char* event, const std::string& data) {
    ++last_id_;
    const auto id = std::to_string(last_id_);
    // A copy: a stream that is too slow ends inside `send` and leaves the list.
    const std::vector<Member> now(members_.begin(), members_.end());
    for (const auto& member : now) member.stream->send(event, id, data);
}

std::string EventHub::overview_text() {
    return json::serialize(to_json(context_.backend.overview(), context_.now().wall_ms));
}

/// In a large fleet those in trouble first.
std::string EventHub::hosts_text() {
    const auto& all = context_.fleet.hosts();
    const auto now = context_.now().now;
    const auto intervals = context_.backend.stale_intervals();
    std::vector<const fleet::Host*> chosen;
    for (const auto& host : all) chosen.push_back(&host);
    if (chosen.size() > kHostsPerEvent) {
        std::stable_partition(chosen.begin(), chosen.end(), [&](const fleet::Host* host) {
            return host->stale(now, intervals) ||
                   context_.backend.host_state(host->id).state != "OK";
        });
        chosen.resize(kHostsPerEvent);
    }
    std::string list;
    bool truncated = chosen.size() < all.size();
    for (const auto* host : chosen) {
        const auto text = short_text(host_json(*host, context_.backend, now));
        if (list.size() + text.size() > kHostsBytes) {
            truncated = true;
            break;
        }
        list += (list.empty() ? "" : ",") + text;
    }
    auto out = "{\"hosts\":[" + list + "],\"total\":" + std::to_string(all.size());
    return out + (truncated ? ",\"truncated\":true}" : "}");
}

std::string EventHub::run_text(const RunView& run) {
    auto text = json::serialize(to_json(run, Detail::brief));
    if (text.size() <= kRunBytes) return text;
    auto shorter = run;
    for (auto& step : shorter.steps) step.targets.clear();
    return json::serialize(to_json(shorter, Detail::brief));
}

void EventHub::tick(const Holds& holds) {
    members_.remove_if([&](const Member& member) {
        if (member.stream->open() && (member.session.empty() || holds(member.session)))
            return false;
        member.stream->close();
        return true;
    });
    if (members_.empty()) return;
    const auto now = context_.now().now;
    const auto revision = context_.backend.overview_revision();
    const bool due = now - sent_ >= kEvery;
    if (!due && revision == sent_revision_) return;
    sent_revision_ = revision;
    send_all("overview", overview_text());
    if (!due) return;
    sent_ = now;
    send_all("hosts", hosts_text());
}

void EventHub::run_changed(const RunView& run) {
    if (!members_.empty()) send_all("run", run_text(run));
}

void EventHub::stop() {
    stopped_ = true;
    for (const auto& member : members_) member.stream->close();
    members_.clear();
}

}  // namespace twinsite::switchover::api
