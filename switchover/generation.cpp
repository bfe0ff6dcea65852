// SPDX-License-Identifier: Apache-2.0
#include "switchover/generation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <unistd.h>

#include "base/file/state_file.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::switchover {
namespace {

constexpr std::uint64_t kHighest = 1'000'000;

}  // namespace

base::Result<void> raise_generation_as_asked(lead::Leader& leader, const std::string& file) {
    const auto text = base::file::read_state_file(file);
    if (!text) return text.error();
    if (!*text) return {};
    const auto word = base::text::trim(**text);
    const auto number = base::text::parse_number<std::uint64_t>(word);
    if (!word.empty() && (!number || *number > kHighest)) return store::Errc::invalid;
    const auto target = std::max(number.value_or(0), leader.fence().generation + 1);
    while (leader.fence().generation < target)
        if (const auto raised = leader.raise_generation(); !raised) return raised.error();
    store::Transaction transaction;
    transaction.audit.push_back(
        {"switchover", "", "generation.raise", std::to_string(target), "done", "asked by " + file}
    );
    if (const auto done = leader.commit(transaction); !done) return done.error();
    if (::unlink(file.c_str()) != 0) return base::Error(errno, boost::system::system_category());
    base::log::event(
        base::log::Level::warning,
        "generation_raised",
        {{"fence", wire::contract::to_string(leader.fence())}}
    );
    return {};
}

}  // namespace twinsite::switchover
