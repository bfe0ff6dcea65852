// SPDX-License-Identifier: Apache-2.0
// Bodies of the switchover server's API: the first byte chooses the decoder. What is accepted keeps
// its bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "switchover/api/requests.hpp"
#include "switchover/api/sessions.hpp"

namespace {

using namespace twinsite::switchover::api;

void check(bool holds) {
    if (!holds) std::abort();
}

void check_text(const std::string& text, std::size_t most) {
    check(text.size() <= most);
    for (const char c : text) check(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

template <class T, class Check>
void accepted(const Decoded<T>& decoded, const Check& then) {
    if (const auto* bad = std::get_if<BadBody>(&decoded))
        check(!bad->text.empty());
    else
        then(std::get<T>(decoded));
}

void decode(unsigned which, std::string_view body) {
    switch (which % 7) {
        case 0:
            return accepted(decode_login(body), [](const LoginRequest& got) {
                check_text(got.user, 64);
                check_text(got.password, 256);
            });
        case 1:
            return accepted(decode_password(body), [](const PasswordRequest& got) {
                check(got.new_password.size() >= 12 && got.new_password != got.old_password);
                check_text(got.new_password, 256);
            });
        case 2:
            return accepted(decode_mode(body), [](const ModeRequest& got) {
                check(got.mode == "auto" || got.mode == "semi" || got.mode == "off");
                check_text(got.reason, 500);
            });
        case 3:
            return accepted(decode_pause(body), [](const PauseRequest& got) {
                check_text(got.reason, 500);
                check(!got.reason.empty());
                check(!got.until_s || (*got.until_s >= 1 && *got.until_s <= 31 * 24 * 3600));
            });
        case 4:
            return accepted(decode_run_request(body), [](const RunRequest& got) {
                check_text(got.scenario, 64);
                check(!got.scenario.empty() && got.overrides.size() <= 64);
                for (const auto& one : got.overrides) check(!one.rule.empty());
            });
        case 5:
            return accepted(decode_order(body), [](const OrderRequest& got) {
                check_text(got.step, 64);
                check(got.answer.empty() || got.answer == "yes" || got.answer == "no");
            });
        default:
            check(find_cookie(body, "twinsite_session").size() <= body.size());
            is_idempotency_key(body);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    decode(data[0], std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
    return 0;
}
