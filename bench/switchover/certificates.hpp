// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/error/result.hpp"
#include "base/text/ip.hpp"

namespace twinsite::bench {

/// A new authority and what everybody of the bench needs, as PEM files in `folder`, which exists:
/// ca.crt, NAME.crt and NAME.key of the server (for `address`), of the operator and of each agent,
/// and sw-bench.sign.crt and .key. Valid for two days; the authority's key is not kept.
base::Result<void> write_certificates(
    const std::string& folder, std::size_t agents, const base::text::IpAddress& address
);

}  // namespace twinsite::bench
