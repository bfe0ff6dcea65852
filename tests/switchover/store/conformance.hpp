// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "switchover/store/store.hpp"

namespace twinsite::switchover::store {

/// A kind of store under test.
struct BackEnd {
    std::string name;
    /// Opens the store of this folder; what an earlier one wrote there is found again.
    std::function<std::unique_ptr<Store>(const std::string& folder)> open;
};

/// What every store must do, whatever is behind it: conformance_test.cpp.
class Conformance : public testing::TestWithParam<BackEnd> {};

}  // namespace twinsite::switchover::store
