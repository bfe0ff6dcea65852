// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "switchover/api/views.hpp"

namespace twinsite::switchover {

class Conductor;

/// A certificate of ours and how long it holds.
struct OwnCertificate {
    std::string name;  ///< "machine", "console", "signing", "client"
    std::int64_t days_left = 0;
};

/// What people should look at, with the time since when (docs/operator/alarms.md). One thread.
class Alarms {
public:
    /// All that stands now, most severe first. What was there at the last call keeps its time.
    const std::vector<api::AlarmView>& look(
        const Conductor& conductor, const std::vector<OwnCertificate>& certificates
    );
    const std::vector<api::AlarmView>& all() const { return alarms_; }

private:
    std::map<std::string, api::WallMs> since_;  ///< By code and object.
    std::vector<api::AlarmView> alarms_;
};

}  // namespace twinsite::switchover
