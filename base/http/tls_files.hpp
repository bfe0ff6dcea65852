// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error/result.hpp"
#include "base/file/watch.hpp"
#include "base/http/tls.hpp"

namespace twinsite::base::http {

/// The certificates of one listener or client as their files are now. Warns (certificate_expires)
/// once a day when the own certificate ends within 30 days. One thread.
class TlsFiles {
public:
    /// Errors: bad_tls_file.
    static Result<std::shared_ptr<TlsFiles>> for_server(const TlsServer& settings);
    static Result<std::shared_ptr<TlsFiles>> for_client(const TlsClient& settings);

    /// Looks whether files have changed (at most each 500 ms). True when they were taken. Files
    /// that are no good are logged (tls_files_refused); what was in force stays.
    bool refresh();
    const std::shared_ptr<const TlsContext>& context() const { return context_; }

private:
    using Load = std::function<Result<std::shared_ptr<const TlsContext>>()>;

    TlsFiles(std::vector<std::string> files, std::string certificate, Load load);
    Result<void> load();
    void warn_of_end() const;

    const std::string certificate_;
    const Load load_;
    file::Watch watch_;
    std::shared_ptr<const TlsContext> context_;
};

}  // namespace twinsite::base::http
