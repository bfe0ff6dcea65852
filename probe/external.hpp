// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when a program of the operator ends with status 0 in time. The program is run directly, never
/// by a shell, in a process group of its own, in the folder /, without input, without our open
/// files, and with these variables only: PATH, LANG=C, TWINSITE_ADDRESS, TWINSITE_PORT. The group
/// is killed when the run ends, however it ends. `error` of the outcome has the first line of its
/// output, `note` the first kOutputBytes.
///
/// Local faults: a program that others than root and we may have written (see
/// base::file::distrust_of), and one that cannot be started.
class ExternalProbe final : public Probe {
public:
    static constexpr std::size_t kOutputBytes = 4096;
    ExternalProbe(Place place, ExternalAsk ask) : place_(std::move(place)), ask_(std::move(ask)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    const ExternalAsk ask_;
};

}  // namespace twinsite::probe
