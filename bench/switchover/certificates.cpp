// SPDX-License-Identifier: Apache-2.0
#include "bench/switchover/certificates.hpp"

#include <utility>

#include "base/crypto/authority.hpp"
#include "base/file/state_file.hpp"
#include "bench/switchover/agents.hpp"

namespace twinsite::bench {
namespace {

using base::Result;
using base::crypto::Authority;
using base::crypto::Order;
using base::crypto::Use;
using wire::contract::Identity;

constexpr std::chrono::days kAuthorityValid{3};
constexpr std::chrono::days kValid{2};

class Folder {
public:
    Folder(std::string path, Authority authority)
        : path_(std::move(path)), authority_(std::move(authority)) {}

    Result<void> write_authority() const { return write("ca.crt", authority_.certificate_pem()); }
    Result<void> write_pair(const Identity& who, Order order, const std::string& suffix = "") const;

private:
    Result<void> write(const std::string& name, const std::string& pem) const {
        return base::file::write_state_file(
            path_ + "/" + name, pem, base::file::Durability::renamed, 0600
        );
    }

    std::string path_;
    Authority authority_;
};

Result<void> Folder::write_pair(const Identity& who, Order order, const std::string& suffix) const {
    order.uri = to_uri(who);
    order.days = kValid;
    const auto issued = authority_.issue(order, base::crypto::wall_now());
    if (!issued) return issued.error();
    const auto certificate = write(who.name + suffix + ".crt", issued->certificate);
    if (!certificate) return certificate.error();
    return write(who.name + suffix + ".key", issued->key);
}

}  // namespace

Result<void> write_certificates(
    const std::string& folder, std::size_t agents, const base::text::IpAddress& address
) {
    auto authority = Authority::create("Twinsite bench", kAuthorityValid, base::crypto::wall_now());
    if (!authority) return authority.error();
    const Folder to(folder, std::move(*authority));
    if (auto done = to.write_authority(); !done) return done;
    Order server;
    server.addresses = {address};
    if (auto done = to.write_pair(server_identity(), server); !done) return done;
    Order signing;
    signing.use = Use::signing;
    if (auto done = to.write_pair(server_identity(), signing, ".sign"); !done) return done;
    if (auto done = to.write_pair(operator_identity(), {}); !done) return done;
    for (std::size_t index = 0; index < agents; ++index)
        if (auto done = to.write_pair(agent_identity(index), {}); !done) return done;
    return {};
}

}  // namespace twinsite::bench
