// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/io/output_buffer.hpp"
#include "wire/diameter/credit_control.hpp"

namespace twinsite::tools::blade {

/// CCAs of one blade and Result-Code, encoded once: per answer only the ids, the Session-Id, type,
/// number and rating group are written. The blade shares two cores with the server under test.
class AnswerTemplate {
public:
    AnswerTemplate(const wire::diameter::Identity& self, std::uint32_t result_code);

    /// The same bytes as `build_cca` with default grants. `request` carries no Proxy-Info.
    void append(
        wire::diameter::HeaderView request,
        const wire::diameter::CreditControlRequest& read,
        io::OutputBuffer& out
    ) const;
    std::uint32_t result_code() const { return result_code_; }

private:
    /// What follows the Session-Id.
    struct Tail {
        std::vector<std::uint8_t> bytes;
        std::size_t type = 0;  ///< offsets of what is written per answer
        std::size_t number = 0;
        std::size_t rating_group = 0;  ///< 0: not in there
    };
    static Tail encode(
        const wire::diameter::Identity& self, std::uint32_t result_code, bool with_units
    );

    const std::uint32_t result_code_;
    const Tail plain_;
    const Tail with_units_;
};

}  // namespace twinsite::tools::blade
