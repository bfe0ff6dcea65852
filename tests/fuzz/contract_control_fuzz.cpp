// SPDX-License-Identifier: Apache-2.0
// Any bytes as a wanted state and as a fence file: refused, or a value that survives being written
// and read again. Both receivers then read the list, and who may send it is looked at.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error/check.hpp"
#include "wire/contract/access.hpp"
#include "wire/contract/desired.hpp"
#include "wire/contract/fence.hpp"

using namespace twinsite::wire::contract;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto desired = decode_desired(text)) {
        const auto again = decode_desired(encode(*desired));
        BASE_CHECK(again && *again == *desired);
        for (const auto& each : desired->objects)
            BASE_CHECK(!split_object(each.object).rest.empty());
    }
    if (auto guard = FenceGuard::from_json_text(text)) {
        BASE_CHECK(*FenceGuard::from_json_text(guard->to_json_text()) == *guard);
        const auto highest = guard->highest("control");
        BASE_CHECK(guard->accept("control", highest));
    }
    BASE_CHECK(
        control_access(text, "PUT", "/api/v1/reload") != Access::allowed ||
        text.find("/operator/") != std::string_view::npos
    );
    return 0;
}
