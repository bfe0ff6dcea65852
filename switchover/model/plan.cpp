// SPDX-License-Identifier: Apache-2.0
#include "switchover/model/plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/config/cursor.hpp"
#include "base/net/endpoint_config.hpp"

namespace twinsite::switchover::model {

namespace {

using base::config::Cursor;

constexpr std::size_t kMaxWordBytes = 63;
constexpr std::size_t kMaxSites = 16;
constexpr std::size_t kMaxAgents = 20'000;
constexpr std::size_t kMaxMembers = 64;  // of a kind

template <class Item>
const Item* find_by_id(const std::vector<Item>& items, std::string_view id) {
    const auto found = std::find_if(items.begin(), items.end(), [id](const Item& item) {
        return item.id() == id;
    });
    return found == items.end() ? nullptr : &*found;
}

/// A word under `key`; anything else is a finding.
std::string word(Cursor& at, std::string_view key) {
    auto text = at.required<std::string>(key);
    if (!text.empty() && !is_word(text)) {
        if (auto place = at.find(key))
            place->error("must be 1 to 63 of a-z, 0-9 and '-', not '" + text + "'");
    }
    return text;
}

Title parse_title(Cursor& at, const std::string& fallback) {
    Title out{fallback, fallback};
    auto place = at.find("title");
    if (!place) return out;
    if (!place->is_map()) {
        out.en = place->value<std::string>();
        out.zh = out.en;
        return out;
    }
    out.en = place->optional<std::string>("en", fallback);
    out.zh = place->optional<std::string>("zh", out.en);
    place->finish();
    return out;
}

std::vector<Cursor> list(Cursor& root, std::string_view key, std::size_t most, bool needed) {
    auto at = root.find(key);
    if (!at) {
        if (needed) root.child(key);  // records that it is missing
        return {};
    }
    auto items = at->items();
    if (items.empty() && needed) at->error("must name at least one");
    if (items.size() > most) {
        at->error("has more than " + std::to_string(most) + " entries");
        items.resize(most, items.front());
    }
    return items;
}

/// Reads the lists one after the other and remembers the names that are taken.
class Parser {
public:
    explicit Parser(Cursor& root) : root_(root) {}

    Plan run() {
        plan_.node = word(root_, "node");
        plan_.site = word(root_, "site");
        sites();
        monitors();
        agents();
        controlled("gslbs", plan_.gslbs);
        controlled("slbs", plan_.slbs);
        services();
        return std::move(plan_);
    }

private:
    void sites() {
        for (auto& at : list(root_, "sites", kMaxSites, true)) {
            Site site;
            site.name = word(at, "name");
            site.title = parse_title(at, site.name);
            at.finish();
            if (plan_.find_site(site.name)) at.error("site '" + site.name + "' stands here twice");
            plan_.sites.push_back(std::move(site));
        }
    }

    void monitors() {
        for (auto& at : list(root_, "monitors", kMaxMembers, false)) {
            Monitor monitor{word(at, "site"), word(at, "name")};
            at.finish();
            take_member(at, monitor.name);
            plan_.monitors.push_back(std::move(monitor));
        }
    }

    void agents() {
        std::set<std::string> taken;
        for (auto& at : list(root_, "agents", kMaxAgents, false)) {
            static const std::vector<std::string> kinds{
                "interface", "processing", "database", "other"
            };
            Agent agent{word(at, "site"), word(at, "name"), {}};
            agent.kind = kinds[at.one_of("kind", kinds, kinds.size() - 1)];
            at.finish();
            if (!is_place(agent.site)) at.unknown("site", agent.site, places());
            if (!taken.insert(agent.id()).second)
                at.error("agent '" + agent.id() + "' stands here twice");
            plan_.agents.push_back(std::move(agent));
        }
    }

    void controlled(std::string_view key, std::vector<Controlled>& out) {
        for (auto& at : list(root_, key, kMaxMembers, false)) {
            Controlled member;
            member.name = word(at, "name");
            member.site = word(at, "site");
            member.control = at.required<base::net::Endpoint>("control");
            at.finish();
            if (!plan_.find_site(member.site)) at.unknown("site", member.site, site_names());
            take_member(at, member.name);
            out.push_back(std::move(member));
        }
    }

    void services() {
        for (auto& at : list(root_, "services", kMaxMembers, false)) {
            Service service;
            service.name = word(at, "name");
            service.title = parse_title(at, service.name);
            at.finish();
            if (plan_.find_service(service.name))
                at.error("service '" + service.name + "' stands here twice");
            plan_.services.push_back(std::move(service));
        }
    }

    void take_member(const Cursor& at, const std::string& name) {
        if (name == plan_.node) at.error("'" + name + "' is the name of this server");
        if (!members_.insert(name).second)
            at.error("'" + name + "' is the name of another gslb, slb or monitor");
    }

    std::vector<std::string> site_names() const {
        std::vector<std::string> out;
        out.reserve(plan_.sites.size());
        for (const auto& site : plan_.sites) out.push_back(site.name);
        return out;
    }
    std::vector<std::string> places() const {
        auto out = site_names();
        out.push_back(plan_.site);
        for (const auto& monitor : plan_.monitors) out.push_back(monitor.site);
        return out;
    }
    bool is_place(const std::string& name) const {
        const auto known = places();
        return std::find(known.begin(), known.end(), name) != known.end();
    }

    Cursor& root_;
    Plan plan_;
    std::set<std::string> members_;
};

}  // namespace

bool is_word(std::string_view text) {
    if (text.empty() || text.size() > kMaxWordBytes) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

std::optional<std::size_t> Plan::find_site(std::string_view name) const {
    for (std::size_t i = 0; i < sites.size(); ++i)
        if (sites[i].name == name) return i;
    return std::nullopt;
}

const Agent* Plan::find_agent(std::string_view id) const {
    return find_by_id(agents, id);
}

const Monitor* Plan::find_monitor(std::string_view id) const {
    return find_by_id(monitors, id);
}

const Service* Plan::find_service(std::string_view name) const {
    const auto found = std::find_if(services.begin(), services.end(), [name](const auto& service) {
        return service.name == name;
    });
    return found == services.end() ? nullptr : &*found;
}

Plan parse_plan(Cursor& root) {
    return Parser(root).run();
}

}  // namespace twinsite::switchover::model
