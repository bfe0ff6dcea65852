// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error/result.hpp"
#include "switchover/store/sqlite.hpp"

namespace twinsite::switchover::store {

/// What a file of ours says of itself in its header.
struct Schema {
    std::int64_t application = 0;  ///< PRAGMA application_id
    std::int64_t version = 0;      ///< PRAGMA user_version
    const char* create = nullptr;  ///< Statements for an empty file.
};

/// Makes an empty file one of ours, and refuses foreign (damaged) and newer (newer_schema) ones.
/// `whole`: also checks every page.
base::Result<void> prepare_file(Database& database, const Schema& schema, bool whole);

}  // namespace twinsite::switchover::store
