// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twinsite::base::metrics {

enum class Type : std::uint8_t { counter, gauge, info };
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// Writes one scrape in OpenMetrics 1.0 text. Families one after the other, each with its samples;
/// the name of a counter family has no "_total", its samples get it.
class Writer {
public:
    static constexpr const char* kContentType =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    void family(std::string_view name, Type type, std::string_view help);
    void sample(const Labels& labels, std::uint64_t value);
    void sample(const Labels& labels, std::int64_t value);
    void sample(const Labels& labels, double value);
    void sample(std::uint64_t value) { sample({}, value); }
    /// Ends the exposition with "# EOF" and gives it away.
    std::string finish();

private:
    void line(const Labels& labels, const std::string& value);

    std::string out_;
    std::string name_;
    Type type_ = Type::gauge;
};

}  // namespace twinsite::base::metrics
