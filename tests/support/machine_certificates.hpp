// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/crypto/authority.hpp"
#include "base/file/state_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace twinsite::tests {

/// An authority of machines in a folder of its own: ca.pem, crl.pem, and NAME.crt with NAME.key for
/// each machine. All are for 127.0.0.1.
class MachineCertificates {
public:
    explicit MachineCertificates(const std::string& name = "test authority")
        : authority_(
              base::crypto::Authority::create(name, std::chrono::days(30), base::crypto::wall_now())
                  .value()
          ) {
        write("ca.pem", authority_.certificate_pem());
        write_list();
    }

    std::string file(const std::string& name) const { return folder_.file(name); }
    base::crypto::Authority& authority() { return authority_; }

    /// Writes (or replaces) the files of a machine; gives its certificate.
    base::crypto::Certificate issue(
        const std::string& stem,
        const std::string& uri,
        std::chrono::days days = std::chrono::days(10)
    ) {
        base::crypto::Order order;
        order.uri = uri;
        order.dns_names = {"api.example.net"};
        order.addresses = {base::text::IpAddress::from_v4(0x7F000001)};
        order.days = days;
        const auto issued = authority_.issue(order, base::crypto::wall_now()).value();
        write(stem + ".key", issued.key);
        write(stem + ".crt", issued.certificate);
        return base::crypto::parse_certificate(issued.certificate).value();
    }
    void revoke(const base::crypto::Certificate& certificate) {
        revoked_.entries.push_back({certificate.serial, base::crypto::wall_now(), "unspecified"});
        write_list();
    }
    void write(const std::string& name, const std::string& text) const {
        base::file::write_state_file(file(name), text).value();
    }

private:
    void write_list() {
        ++revoked_.number;
        write("crl.pem", authority_.revocation_list(revoked_, base::crypto::wall_now()).value());
    }

    TemporaryFolder folder_;
    base::crypto::Authority authority_;
    base::crypto::RevocationList revoked_;
};

}  // namespace twinsite::tests
