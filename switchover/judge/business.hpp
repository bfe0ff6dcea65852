// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"
#include "switchover/judge/recent.hpp"
#include "switchover/judge/track.hpp"
#include "switchover/judge/volume_window.hpp"

namespace twinsite::switchover::judge {

/// Whether users get good answers: by probes that behave like users, and by the service's own
/// counters where there are some. Counters with volume outweigh a single probe, either way
/// (control.md 20).
class Business {
public:
    Business(const model::Plan& plan, const Rules& rules);

    void observe(std::size_t service, std::string_view observer, const ProbeReading& reading);
    void observe_volume(std::size_t service, double attempts, double good, Time at);
    void evaluate(Time now, bool blind, Verdicts& out);
    void acted(std::size_t service, Time now);
    void restart_timers();

    VolumeWindow::Sum volume(std::size_t service, Time now) const {
        return services_[service].volume.sum(now);
    }
    /// How long all fresh views have been good without a break; nullopt when one is not.
    std::optional<Time> good_since(std::size_t service, Time now) const;

private:
    struct Row {
        std::string observer;
        std::string probe;
        std::string view;
        Recent recent;
    };
    struct Service {
        explicit Service(Duration window) : volume(window) {}
        std::vector<Row> rows;
        VolumeWindow volume;
        Track track;
        std::optional<Time> bad_since;
        std::optional<Time> counted_from;  // what is older does not count
        std::optional<Time> last_good;
    };
    /// What probes and counters say together.
    struct Finding {
        bool any = false;   // something fresh
        bool well = false;  // no view that is bad or unclear
        bool good = false;  // for long enough
        bool bad = false;
    };

    Finding find(std::size_t service, Time now) const;
    void evaluate_one(std::size_t index, Time now, bool blind, Verdicts& out);
    void write_views(const Service& service, Time now, ServiceVerdict& verdict) const;

    const Rules& rules_;
    std::vector<Service> services_;
};

}  // namespace twinsite::switchover::judge
