// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Answers of a twinsite-switchover for people. Names and details in them come from agents and are
/// shown without control characters.
namespace twinsite::cli {

std::string overview_text(const std::string& body);
std::string hosts_text(const std::string& body);
std::string why_text(const std::string& body);
std::string mode_text(const std::string& body);
std::string pause_text(const std::string& body);
std::string unpause_text(const std::string& body);
std::string audit_text(const std::string& body);
std::string audit_verify_text(const std::string& body);
std::string runs_text(const std::string& body);
std::string run_text(const std::string& body);
std::string run_started_text(const std::string& body);

/// `text` in one line: control characters become blanks.
std::string clean(std::string_view text);

}  // namespace twinsite::cli
