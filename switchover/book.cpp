// SPDX-License-Identifier: Apache-2.0
#include "switchover/book.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/crypto/digest.hpp"
#include "base/file/state_file.hpp"
#include "switchover/scenario/parse.hpp"

namespace twinsite::switchover {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> yaml_files(const std::string& folder, std::vector<std::string>& findings) {
    std::vector<std::string> out;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto& path = at->path();
        if (path.extension() == ".yaml" && !path.filename().string().starts_with("."))
            out.push_back(path.string());
    }
    if (failure) findings.push_back(folder + ": cannot be read: " + failure.message());
    std::sort(out.begin(), out.end());
    return out;
}

scenario::Delays delays_of(const Config& config) {
    scenario::Delays out;
    out.detection = config.scenarios.report_interval * config.rules.stale_intervals +
                    config.rules.site_down_for;
    out.dns_tail = config.scenarios.dns_tail;
    return out;
}

std::shared_ptr<BookEntry> make_entry(
    const Config& config,
    const std::string& source,
    const std::string& file,
    std::vector<std::string>& findings
) {
    auto parsed = scenario::parse_source(source, file, names_for(config.plan));
    for (const auto& finding : parsed.findings)
        findings.push_back(base::config::to_string(finding));
    if (!parsed.good()) return nullptr;
    auto entry = std::make_shared<BookEntry>();
    entry->scenario = std::move(parsed.scenario);
    entry->source = source;
    entry->hash = base::crypto::sha256_hex(source);
    entry->file = file;
    entry->lint = scenario::lint(entry->scenario, delays_of(config));
    return entry;
}

/// Fail-back scenarios are named by others: known only when all are read.
void check_failbacks(const Book& book, std::vector<std::string>& findings) {
    for (const auto& [name, entry] : book) {
        const auto& failback = entry->scenario.failback;
        if (!failback.empty() && !book.contains(failback))
            findings.push_back(
                entry->file + ": $.failback: there is no scenario '" + failback + "'"
            );
    }
}

}  // namespace

scenario::Names names_for(const model::Plan& plan) {
    scenario::Names out;
    for (const auto& site : plan.sites) out.sites.push_back(site.name);
    for (const auto& agent : plan.agents) out.hosts.push_back({agent.id(), agent.kind});
    for (const auto& gslb : plan.gslbs) out.members.push_back(gslb.name);
    for (const auto& slb : plan.slbs) out.members.push_back(slb.name);
    for (const auto& monitor : plan.monitors) out.members.push_back(monitor.name);
    for (const auto& service : plan.services) out.services.push_back(service.name);
    return out;
}

LoadedBook load_book(const Config& config) {
    LoadedBook out;
    for (const auto& file : yaml_files(config.scenarios.directory, out.findings)) {
        const auto text = base::file::read_state_file(file);
        if (!text || !*text) {
            out.findings.push_back(
                file + ": cannot be read" + (text ? "" : ": " + text.error().message())
            );
            continue;
        }
        const auto entry = make_entry(config, **text, file, out.findings);
        if (!entry) continue;
        const auto [at, fresh] = out.book.emplace(entry->scenario.name, entry);
        if (!fresh)
            out.findings.push_back(
                file + ": $.scenario: '" + at->first + "' stands in " + at->second->file + " too"
            );
    }
    check_failbacks(out.book, out.findings);
    return out;
}

LoadedConfig load_config(const std::string& file) {
    LoadedConfig out;
    const auto document = base::config::Document::load(file);
    out.config = parse_config(document.root());
    for (const auto& finding : document.findings())
        out.findings.push_back(base::config::to_string(finding));
    // Names in scenarios are known only when the configuration is right.
    if (!out.findings.empty()) return out;
    auto loaded = load_book(out.config);
    out.book = std::move(loaded.book);
    out.findings = std::move(loaded.findings);
    return out;
}

std::shared_ptr<const BookEntry> parse_entry(
    const Config& config, const std::string& source, const std::string& file
) {
    std::vector<std::string> findings;
    return make_entry(config, source, file, findings);
}

}  // namespace twinsite::switchover
