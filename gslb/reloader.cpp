// SPDX-License-Identifier: Apache-2.0
#include "gslb/reloader.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace twinsite::gslb {

Reloader::Reloader(boost::asio::io_context& io, std::string config_file, Seams seams)
    : io_(io), config_file_(std::move(config_file)), seams_(std::move(seams)) {}

Reloader::~Reloader() {
    if (reading_.joinable()) reading_.join();
}

void Reloader::request(Done done) {
    waiting_.push_back(std::move(done));
    if (!busy_) begin();
}

void Reloader::request_signing() {
    signing_wanted_ = true;
    if (!busy_) begin();
}

LoadedIntent Reloader::read(const std::string& file, const Before& before, bool only_sign) {
    auto out = only_sign ? sign_again(*before.intent) : load_intent(file, before.intent.get());
    if (out.intent) sign_ahead(*out.intent, before.likely);
    return out;
}

void Reloader::begin() {
    busy_ = true;
    served_ = std::exchange(waiting_, {});
    signing_wanted_ = false;  // a reading signs as well
    const bool only_sign = served_.empty();
    if (reading_.joinable()) reading_.join();
    reading_ = std::thread([this, only_sign, before = seams_.before()] {
        auto loaded = read(config_file_, before, only_sign);
        boost::asio::post(io_, [this, only_sign, loaded = std::move(loaded)] {
            finish(loaded, only_sign);
        });
    });
}

void Reloader::finish(const LoadedIntent& loaded, bool only_signed) {
    control::ReloadOutcome outcome;
    if (only_signed)
        seams_.adopt_signed(loaded);
    else
        outcome = seams_.adopt(loaded);
    busy_ = false;
    const auto served = std::exchange(served_, {});
    for (const auto& done : served) done(outcome);
    if ((!waiting_.empty() || signing_wanted_) && !busy_) begin();
}

}  // namespace twinsite::gslb
