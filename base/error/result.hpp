// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace twinsite::base {

/// What is expected to fail now and then is a value of this type, never an exception
/// (docs/decisions/0002). Each room with failures has one `enum class Errc` and its category.
template <class T>
using Result = boost::system::result<T>;
using Error = boost::system::error_code;

}  // namespace twinsite::base
