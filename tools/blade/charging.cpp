// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/charging.hpp"

#include <utility>

namespace twinsite::tools::blade {

using namespace wire::diameter;

Charging::Charging(ChargingConfig config)
    : config_(std::move(config)),
      usual_(config_.self, config_.result_code),
      unknown_session_(config_.self, result::kUnknownSessionId) {}

void Charging::answer(std::span<const std::uint8_t> request, io::OutputBuffer& out) {
    const HeaderView header(request);
    scratch_.clear();
    if (header.command() != command::kCreditControl ||
        header.application() != application::kCreditControl) {
        ++stats_.unsupported;
        const bool known = header.command() == command::kCreditControl;
        build_error_answer(
            scratch_,
            config_.self,
            request,
            known ? result::kApplicationUnsupported : result::kCommandUnsupported
        );
        return out.append(scratch_);
    }
    ++stats_.requests;
    CreditControlRequest read;
    if (const auto defect = read_ccr(request, read)) {
        ++stats_.malformed;
        build_error_answer(scratch_, config_.self, request, *defect);
        return out.append(scratch_);
    }
    std::uint32_t code = 0;
    if (header.is_retransmitted()) {
        ++stats_.retransmitted;
        code = seen_.find(read.origin_host, header.end_to_end());
        if (code != 0) ++stats_.duplicates;
    }
    if (code == 0) {
        code = charge(read);
        seen_.remember(read.origin_host, header.end_to_end(), code);
    }
    write_answer(request, read, code, out);
}

std::uint32_t Charging::charge(const CreditControlRequest& request) {
    switch (request.type) {
        case CcRequestType::initial:
            ++stats_.initial;
            if (config_.result_code == result::kSuccess) open(request);
            return config_.result_code;
        case CcRequestType::update:
            ++stats_.updates;
            return follow(request, false);
        case CcRequestType::termination:
            ++stats_.terminations;
            return follow(request, true);
        case CcRequestType::event:
            break;
    }
    ++stats_.events;
    return config_.result_code;
}

void Charging::open(const CreditControlRequest& request) {
    const auto [place, fresh] = sessions_.try_emplace(std::string(request.session));
    place->second.last_number = request.number;
    if (fresh) ++stats_.sessions;
}

std::uint32_t Charging::follow(const CreditControlRequest& request, bool last) {
    const auto found = sessions_.find(request.session);
    if (found == sessions_.end()) {
        ++stats_.unknown_session;
        if (config_.strict) return result::kUnknownSessionId;
        if (!last && config_.result_code == result::kSuccess) open(request);
        return config_.result_code;
    }
    if (last)
        sessions_.erase(found);
    else
        found->second.last_number = request.number;
    return config_.result_code;
}

void Charging::write_answer(
    std::span<const std::uint8_t> request,
    const CreditControlRequest& read,
    std::uint32_t result_code,
    io::OutputBuffer& out
) {
    const auto& encoded = result_code == usual_.result_code() ? usual_ : unknown_session_;
    if (!read.has_proxy_info) return encoded.append(HeaderView(request), read, out);
    CcaFields fields;
    fields.result_code = result_code;
    build_cca(scratch_, config_.self, request, read, fields);
    out.append(scratch_);
}

}  // namespace twinsite::tools::blade
