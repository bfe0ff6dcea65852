// SPDX-License-Identifier: Apache-2.0
// Any bytes as what slb reads back from its state folder (changes of blades) and as the body of a
// new blade in its API: refused, or a value that survives being written and read again.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error/check.hpp"
#include "base/http/router.hpp"
#include "slb/control/api.hpp"
#include "slb/control/blade_changes.hpp"

using namespace twinsite;
using slb::control::BladeChanges;

namespace {

/// Keeps what it was asked for, and says that the disk is full: nothing is logged then.
class FullDisk final : public slb::control::Backend {
public:
    slb::control::NodeStatus node() override { return {}; }
    slb::proxy::ShardStatus status() override { return {}; }
    const BladeChanges::Blades& configured() const override { return configured_; }
    const BladeChanges& changes() const override { return changes_; }
    base::Result<void> change(const BladeChanges& changes) override {
        wanted = changes;
        return base::Error(ENOSPC, boost::system::system_category());
    }
    slb::control::ReloadOutcome reload_now() override { return {}; }
    slb::control::ControlState& control() override { return control_; }
    slb::control::RefusalCounts& refusals() override { return refusals_; }
    slb::control::Releases& releases() override { return releases_; }
    std::size_t start_release(double) override { return 0; }
    void stop_release() override {}
    slb::proxy::ReleaseStatus release_status() override { return {}; }
    slb::control::ControlState::Time now() const override { return {}; }

    BladeChanges wanted;

private:
    BladeChanges::Blades configured_;
    BladeChanges changes_;
    slb::control::ControlState control_{
        {[] {}, [](const auto&) { return base::Result<void>(); }}, {}
    };
    slb::control::RefusalCounts refusals_;
    slb::control::Releases releases_;
};

void check_written_again(const BladeChanges& changes) {
    BASE_CHECK(BladeChanges::from_json(changes.to_json()) == changes);
}

void check_body(std::string_view text) {
    FullDisk backend;
    base::http::Router router;
    slb::control::add_control_routes(router, backend);
    base::http::Request request;
    request.method = "POST";
    request.path = request.target = "/api/v1/blades";
    request.body = std::string(text);
    const auto answer = router.handle(request);
    BASE_CHECK(answer.status == 422 || answer.status == 500);
    const auto blades = backend.wanted.apply({});
    BASE_CHECK(blades.size() == (answer.status == 500 ? 1 : 0));
    if (blades.empty()) return;
    BASE_CHECK(!blades[0].name.empty() && blades[0].address.port != 0);
    check_written_again(backend.wanted);
}

}  // namespace

void check_release_body(std::string_view text) {
    const auto read = slb::control::read_release(text);
    const auto* request = std::get_if<slb::control::ReleaseRequest>(&read);
    if (request == nullptr) return;
    BASE_CHECK(!request->op_id.empty() && request->op_id.size() <= 64);
    BASE_CHECK(request->per_second >= 0.1 && request->per_second <= 1'000);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto changes = BladeChanges::from_json(text)) check_written_again(*changes);
    check_body(text);
    check_release_body(text);
    return 0;
}
