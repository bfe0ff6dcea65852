// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Answers about the group, intents and simulations as text for people. Pure: JSON in, lines out.
namespace twinsite::cli {

std::string peers_text(const std::string& body);
std::string zones_text(const std::string& body);
std::string health_text(const std::string& body);
std::string simulate_text(const std::string& body);
std::string difference_text(const std::string& body);
std::string published_text(const std::string& body);
std::string versions_text(const std::string& body);

}  // namespace twinsite::cli
