// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/control/helm.hpp"

namespace twinsite::gslb {

/// Signs what may be answered next on a thread of its own, so that a change of health finds its
/// signatures ready. Signers are copied for it and get back what it made.
class Presigner {
public:
    struct Basis {
        control::Setup setup;
        answer::ServiceStates states;
    };
    /// `basis` is asked on the loop of `io`, where everything else is called too.
    Presigner(boost::asio::io_context& io, std::function<Basis()> basis);
    ~Presigner();  ///< Waits for the thread.
    Presigner(const Presigner&) = delete;
    Presigner& operator=(const Presigner&) = delete;

    /// Something else is answered since now. Soon, and once for many calls, it is looked at.
    void note_change();
    void stop();

private:
    /// The signatures made for one signer.
    struct Made {
        std::shared_ptr<zone::VariantSigner> signer;
        std::vector<zone::VariantSigner::Made> signatures;
    };
    void begin();
    void finish(const std::vector<Made>& made);
    static std::vector<Made> sign(const Basis& basis, const answer::ZoneSigners& copies);

    // fixed after construction
    boost::asio::io_context& io_;
    const std::function<Basis()> basis_;
    // owned by the loop
    boost::asio::steady_timer pause_;
    std::thread thread_;
    bool busy_ = false;
    bool waiting_ = false;
    bool stopped_ = false;
};

}  // namespace twinsite::gslb
