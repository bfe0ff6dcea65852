// SPDX-License-Identifier: Apache-2.0
// Any bytes as what an agent reads back from its state folder (journal and spool), and as its
// actions.yaml with hostile values of parameters: no crash, and what is kept is kept the second
// time too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include <unistd.h>

#include "base/config/cursor.hpp"
#include "base/error/check.hpp"
#include "base/file/state_file.hpp"
#include "monitor/action/definition.hpp"
#include "monitor/action/journal.hpp"
#include "monitor/report/spool_file.hpp"

using namespace twinsite;

namespace {

const std::string& folder() {
    static const std::string out = [] {
        // In memory where there is such a place: a journal syncs.
        const bool shared = std::filesystem::is_directory("/dev/shm");
        std::string name = std::string(shared ? "/dev/shm" : "/tmp") + "/twinsite-fuzz-XXXXXX";
        BASE_CHECK(::mkdtemp(name.data()) != nullptr);
        std::atexit([] {
            std::error_code ignored;
            std::filesystem::remove_all(folder(), ignored);
        });
        return name;
    }();
    return out;
}

void check_journal(std::string_view text) {
    const auto path = folder() + "/journal.log";
    BASE_CHECK(base::file::write_state_file(path, text, base::file::Durability::renamed));
    const auto journal = monitor::action::Journal::open(path);
    BASE_CHECK(journal.has_value());
    BASE_CHECK(journal->size() <= monitor::action::Journal::kOperations);
    const auto again = monitor::action::Journal::open(path);
    BASE_CHECK(again && again->size() == journal->size());
    BASE_CHECK(again->damaged() == 0 && again->lost() == 0);
}

void check_spool(std::string_view text) {
    const auto path = folder() + "/spool.log";
    BASE_CHECK(base::file::write_state_file(path, text, base::file::Durability::renamed));
    const monitor::report::SpoolFile::Moment now{
        std::chrono::seconds(1'000), 1'700'000'000'000, "boot"
    };
    monitor::report::SpoolFile file(path);
    const auto loaded = file.load(now);
    for (const auto& entry : loaded.entries) {
        BASE_CHECK(entry.measured <= now.monotonic);
        BASE_CHECK(!entry.servers.empty());
    }
    BASE_CHECK(file.rewrite(loaded.entries, now));
    const auto again = file.load(now);
    BASE_CHECK(again.damaged == 0 && again.entries.size() == loaded.entries.size());
}

void check_actions(const std::string& text) {
    const auto document = base::config::Document::parse(text, "actions.yaml");
    const auto actions = monitor::action::parse_actions(document.root());
    if (!document.findings().empty()) return;
    for (const auto& [name, action] : actions) {
        std::map<std::string, std::string> values;
        for (const auto& [parameter, kind] : action.parameters)
            values[parameter] = text.substr(0, monitor::action::kMaxValueBytes);
        const auto bound = monitor::action::bind(action, values);
        const auto* arguments = std::get_if<std::vector<std::string>>(&bound);
        if (arguments == nullptr) continue;
        BASE_CHECK(arguments->size() == action.command.size());
        BASE_CHECK(arguments->front() == action.command.front());
        for (const auto& argument : *arguments) BASE_CHECK(argument.find('\n') == argument.npos);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    check_journal(text);
    check_spool(text);
    check_actions(text);
    return 0;
}
