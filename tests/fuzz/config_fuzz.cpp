// SPDX-License-Identifier: Apache-2.0
// Any text as a configuration file: findings come out, nothing else happens.
#include <cstdint>
#include <string>

#include "base/config/cursor.hpp"
#include "base/error/check.hpp"

using twinsite::base::config::Cursor;
using twinsite::base::config::Document;

namespace {

void read_everything(Cursor at, int depth) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) return;
    at.optional("name", std::string());
    at.in_range<std::uint16_t>("port", 1, 65'535, 53);
    at.optional("timeout", std::chrono::milliseconds(1));
    at.optional("weight", 1.0);
    at.optional("prefix", twinsite::base::text::IpPrefix{});
    at.one_of("kind", {"tcp", "http"}, 0);
    if (auto list = at.find("list"))
        for (auto& item : list->items()) read_everything(item, depth + 1);
    if (auto map = at.find("map"))
        for (auto& [key, value] : map->entries()) read_everything(value, depth + 1);
    at.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document =
        Document::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.yaml");
    read_everything(document.root(), 0);
    for (const auto& finding : document.findings())
        BASE_CHECK(twinsite::base::config::to_string(finding).starts_with("fuzz.yaml:"));
    return 0;
}
