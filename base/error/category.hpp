// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

namespace twinsite::base {

/// Category of one room's `enum class Errc`. `to_text` gives the words for a value; they must live
/// for ever. A room declares `make_error_code(Errc)` and specialises `is_error_code_enum`.
class Category final : public boost::system::error_category {
public:
    using ToText = const char* (*)(int value) noexcept;
    constexpr Category(const char* name, ToText to_text) noexcept
        : name_(name), to_text_(to_text) {}

    const char* name() const noexcept override { return name_; }
    std::string message(int value) const override { return to_text_(value); }

private:
    const char* name_;
    ToText to_text_;
};

}  // namespace twinsite::base

/// After the namespace of the room: makes `return Errc::truncated;` convert to Error and Result.
#define TWINSITE_ERROR_ENUM(type) \
    template <>                   \
    struct boost::system::is_error_code_enum<type> : std::true_type {}
