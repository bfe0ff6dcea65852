// SPDX-License-Identifier: Apache-2.0
#include "slb/control/blade_changes.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/error/result.hpp"

namespace twinsite::slb::control {

namespace json = boost::json;

namespace {

constexpr std::int64_t kFormat = 1;

bool contains(const BladeChanges::Blades& blades, const std::string& name) {
    return std::any_of(blades.begin(), blades.end(), [&](const auto& blade) {
        return blade.name == name;
    });
}

json::array to_array(const std::set<std::string>& names) {
    json::array out;
    for (const auto& name : names) out.emplace_back(name);
    return out;
}

bool read_names(const json::object& from, std::string_view key, std::set<std::string>& out) {
    const auto* value = from.if_contains(key);
    const auto* names = value ? value->if_array() : nullptr;
    if (!names) return false;
    for (const auto& name : *names) {
        const auto* text = name.if_string();
        if (!text) return false;
        out.emplace(*text);
    }
    return true;
}

}  // namespace

BladeChanges::Blades BladeChanges::apply(const Blades& configured, const BladeControl& control)
    const {
    Blades out;
    for (const auto& blade : configured)
        if (!removed_.contains(blade.name) && !added_.contains(blade.name)) out.push_back(blade);
    for (const auto& [name, address] : added_) out.push_back({name, address, false});
    for (auto& blade : out)
        blade.draining = draining_.contains(blade.name) ||
                         (!activated_.contains(blade.name) &&
                          control.word(blade.name) == BladeControl::Word::drain);
    return out;
}

void BladeChanges::add(const std::string& name, const base::net::Endpoint& address) {
    added_[name] = address;
    removed_.erase(name);
    draining_.erase(name);
    activated_.erase(name);
}

void BladeChanges::remove(const std::string& name, const Blades& configured) {
    added_.erase(name);
    draining_.erase(name);
    activated_.erase(name);
    if (contains(configured, name)) removed_.insert(name);
}

const char* BladeChanges::word(const std::string& name) const {
    if (draining_.contains(name)) return "drain";
    return activated_.contains(name) ? "active" : "";
}

void BladeChanges::drain(const std::string& name) {
    draining_.insert(name);
    activated_.erase(name);
}

void BladeChanges::activate(const std::string& name, const BladeControl& control) {
    draining_.erase(name);
    if (control.word(name) == BladeControl::Word::drain) activated_.insert(name);
}

bool BladeChanges::forget_overruled(const BladeControl& control) {
    return std::erase_if(activated_, [&](const auto& name) {
               return control.word(name) != BladeControl::Word::drain;
           }) > 0;
}

void BladeChanges::tidy(const Blades& configured) {
    std::erase_if(removed_, [&](const auto& name) { return !contains(configured, name); });
    const auto gone = [&](const auto& name) {
        return !added_.contains(name) && !contains(configured, name);
    };
    std::erase_if(draining_, gone);
    std::erase_if(activated_, gone);
}

std::string BladeChanges::to_json() const {
    json::array added;
    for (const auto& [name, address] : added_)
        added.push_back({{"name", name}, {"address", base::net::to_string(address)}});
    return json::serialize(json::object{
               {"format", kFormat},
               {"added", std::move(added)},
               {"removed", to_array(removed_)},
               {"draining", to_array(draining_)},
               {"activated", to_array(activated_)},
           }) +
           "\n";
}

std::optional<BladeChanges> BladeChanges::from_json(std::string_view text) {
    base::Error failure;
    const auto value = json::parse(text, failure);
    const auto* root = failure ? nullptr : value.if_object();
    if (!root) return std::nullopt;
    const auto* format = root->if_contains("format");
    if (!format || *format != kFormat) return std::nullopt;
    BladeChanges out;
    if (!read_names(*root, "removed", out.removed_) ||
        !read_names(*root, "draining", out.draining_))
        return std::nullopt;
    // Not there in files of version 0.2 and before.
    if (root->contains("activated") && !read_names(*root, "activated", out.activated_))
        return std::nullopt;
    const auto* added = root->if_contains("added");
    if (!added || !added->is_array()) return std::nullopt;
    for (const auto& entry : added->get_array()) {
        const auto* blade = entry.if_object();
        const auto* name = blade ? blade->if_contains("name") : nullptr;
        const auto* address = blade ? blade->if_contains("address") : nullptr;
        if (!name || !name->is_string() || !address || !address->is_string()) return std::nullopt;
        const auto endpoint = base::net::parse_endpoint(address->get_string());
        if (!endpoint) return std::nullopt;
        out.added_[std::string(name->get_string())] = *endpoint;
    }
    return out;
}

}  // namespace twinsite::slb::control
