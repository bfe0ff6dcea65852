// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "base/crypto/authority.hpp"
#include "base/crypto/base64.hpp"
#include "base/crypto/signature.hpp"
#include "base/file/state_file.hpp"
#include "wire/contract/command.hpp"

namespace twinsite::tests {

/// An authority with its files, and servers that sign commands.
class Servers {
public:
    explicit Servers(const std::string& folder) : folder_(folder) {
        write("ca.crt", authority_.certificate_pem());
        write_revocations({});
    }

    std::string ca() const { return folder_ + "/ca.crt"; }
    std::string crl() const { return folder_ + "/crl.pem"; }

    base::crypto::Issued issue(const std::string& uri, base::crypto::Use use) const {
        base::crypto::Order order;
        order.uri = uri;
        order.use = use;
        if (use == base::crypto::Use::tls)
            order.addresses.push_back(base::text::IpAddress::from_v4(0x7F000001));
        return authority_.issue(order, base::crypto::wall_now()).value();
    }
    /// Issues a certificate for TLS at 127.0.0.1 and writes NAME.crt and NAME.key.
    void issue_files(const std::string& uri, const std::string& name) const {
        const auto issued = issue(uri, base::crypto::Use::tls);
        write(name + ".crt", issued.certificate);
        write(name + ".key", issued.key);
    }
    std::string file(const std::string& name) const { return folder_ + "/" + name; }
    void revoke(const std::string& certificate) {
        const auto now = base::crypto::wall_now();
        const auto serial = base::crypto::parse_certificate(certificate)->serial;
        base::crypto::RevocationList list;
        list.number = 2;
        list.entries.push_back({serial, now, "keyCompromise"});
        write_revocations(list);
    }
    static void sign(wire::contract::Command& command, const base::crypto::Issued& by) {
        command.certificate = by.certificate;
        const auto signer = base::crypto::Signer::from_pem(by.key, by.certificate);
        command.signature =
            base::crypto::to_base64(signer->sign(wire::contract::signing_bytes(command)).value());
    }

private:
    void write(const std::string& name, const std::string& text) const {
        if (!base::file::write_state_file(folder_ + "/" + name, text))
            throw std::runtime_error("cannot write " + name);
    }
    void write_revocations(const base::crypto::RevocationList& list) const {
        write("crl.pem", authority_.revocation_list(list, base::crypto::wall_now()).value());
    }

    std::string folder_;
    base::crypto::Authority authority_ =
        base::crypto::Authority::create("test", std::chrono::days(400), base::crypto::wall_now())
            .value();
};

}  // namespace twinsite::tests
