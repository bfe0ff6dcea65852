// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probe/ask.hpp"
#include "probe/place.hpp"

namespace twinsite::probe {

class Probe;

/// The probe that asks `ask` there; nullptr for PushAsk.
std::unique_ptr<Probe> make(const Ask& ask, const Place& place);

}  // namespace twinsite::probe
