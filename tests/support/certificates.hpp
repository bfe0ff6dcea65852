// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace twinsite::tests {

/// A certificate authority of a test: P-256 keys, certificates valid from an hour ago for a day.
class Authority {
public:
    explicit Authority(const std::string& name);
    ~Authority();

    /// Writes the authority's own certificate as PEM.
    void write(const std::string& file) const;
    /// Issues a certificate and writes it and its key as PEM. `alternative_names` in OpenSSL's
    /// form: "DNS:a.example,IP:127.0.0.1"; may be empty.
    void issue(
        const std::string& common_name,
        const std::string& alternative_names,
        const std::string& certificate_file,
        const std::string& key_file
    ) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace twinsite::tests
