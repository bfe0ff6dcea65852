// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "wire/group/message.hpp"

/// Messages as payloads of frames: JSON. Members that are not known are ignored, so that a newer
/// program may add some. Errors: those of wire/contract (not_json, bad_member, too_large ...),
/// bad_number, bad_hash.
namespace twinsite::wire::group {

std::string encode(const Hello& message);
std::string encode(const Heartbeat& message);
std::string encode(const Digest& message);
std::string encode(const Pull& message);
std::string encode(const Overrides& message);
std::string encode(const Observations& message);
std::string encode(const Loads& message);
std::string encode(const Secrets& message);
std::string encode(const Fences& message);
std::string encode(const IntentHeader& message);
std::string encode(const IntentPart& message);
std::string encode(const Decisions& message);

base::Result<Hello> decode_hello(std::string_view payload);
base::Result<Heartbeat> decode_heartbeat(std::string_view payload);
base::Result<Digest> decode_digest(std::string_view payload);
base::Result<Pull> decode_pull(std::string_view payload);
base::Result<Overrides> decode_overrides(std::string_view payload);
base::Result<Observations> decode_observations(std::string_view payload);
base::Result<Loads> decode_loads(std::string_view payload);
base::Result<Secrets> decode_secrets(std::string_view payload);
base::Result<Fences> decode_fences(std::string_view payload);
base::Result<IntentHeader> decode_intent_header(std::string_view payload);
base::Result<IntentPart> decode_intent_part(std::string_view payload);
base::Result<Decisions> decode_decisions(std::string_view payload);

/// The bytes of a header that are hashed and signed: everything but certificate and signature, in a
/// fixed order.
std::string signed_text(const IntentHeader& header);

}  // namespace twinsite::wire::group
