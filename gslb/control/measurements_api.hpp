// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/http/message.hpp"
#include "gslb/control/helm.hpp"

/// What others measured, by the API: facts, loads, delays; and sites that wait for an operator.
namespace twinsite::gslb::control {

/// {"facts": [{"name", "value", "ttl_s", "age_ms"}]}
base::http::Response put_facts(Helm& helm, const base::http::Request& request);
base::http::Response show_facts(const Helm& helm);
/// {"loads": [{"service", "target", "load_percent", "seq", "age_ms"}]}
base::http::Response put_loads(Helm& helm, const base::http::Request& request);
base::http::Response show_loads(const Helm& helm);
/// {"delays": [{"prefix", "site", "rtt_ms", "age_ms"}]}
base::http::Response put_delays(Helm& helm, const base::http::Request& request);
/// Lets a site that is back have its clients again.
base::http::Response release_site(Helm& helm, const std::string& service, const std::string& site);
base::http::Response show_waiting_sites(const Helm& helm);

}  // namespace twinsite::gslb::control
