// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/certificates.hpp"

#include "base/crypto/authority.hpp"
#include "base/text/ip.hpp"
#include "cli/pki/folder.hpp"

namespace twinsite::cli::demo {
namespace {

namespace crypto = base::crypto;
namespace fs = std::filesystem;

constexpr std::chrono::days kAuthorityLife{365};
constexpr std::chrono::days kLife{90};

crypto::Order order_for(const Part& part) {
    crypto::Order out;
    out.uri = identity_of(part);
    out.days = kLife;
    if (const auto address = base::text::parse_ip(part.address)) out.addresses = {*address};
    return out;
}

crypto::Order operator_order() {
    crypto::Order out;
    out.uri = "twinsite://" + std::string(kArbiter) + "/operator/demo";
    out.days = kLife;
    return out;
}

/// Issues into the authority's own folder; "" or why not.
class Clerk {
public:
    Clerk(pki::Folder folder, crypto::WallTime now) : folder_(std::move(folder)), now_(now) {}

    void issue(const crypto::Order& order, const std::string& stem) {
        if (!fault_.empty()) return;
        const auto written = folder_.issue(order, folder_.path(), stem, now_);
        if (!written) fault_ = written.failure().text;
    }
    const std::string& fault() const { return fault_; }

private:
    pki::Folder folder_;
    const crypto::WallTime now_;
    std::string fault_;
};

}  // namespace

fs::path pki_folder(const Layout& layout) {
    return layout.folder("pki");
}

std::string make_certificates(const Layout& layout) {
    const auto folder = pki_folder(layout);
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed) return failed.message();
    const auto now = crypto::wall_now();
    auto created = pki::Folder::create(folder.string(), "Twinsite demo", kAuthorityLife, now);
    if (!created) return created.failure().text;
    Clerk clerk(std::move(*created), now);
    for (const auto& part : layout.parts()) {
        if (part.kind == Kind::blade) continue;
        auto order = order_for(part);
        clerk.issue(order, part.name);
        if (part.kind != Kind::switchover) continue;
        order.use = crypto::Use::signing;
        clerk.issue(order, part.name + ".sign");
    }
    clerk.issue(operator_order(), "operator");
    return clerk.fault();
}

}  // namespace twinsite::cli::demo
