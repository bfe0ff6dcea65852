// SPDX-License-Identifier: Apache-2.0
#include "gslb/reloader.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace twinsite::gslb {

Reloader::Reloader(
    boost::asio::io_context& io,
    std::string config_file,
    std::function<control::ReloadOutcome(const LoadedIntent&)> adopt
)
    : io_(io), config_file_(std::move(config_file)), adopt_(std::move(adopt)) {}

Reloader::~Reloader() {
    if (reading_.joinable()) reading_.join();
}

void Reloader::request(Done done) {
    waiting_.push_back(std::move(done));
    if (!busy_) begin();
}

void Reloader::begin() {
    busy_ = true;
    served_ = std::exchange(waiting_, {});
    if (reading_.joinable()) reading_.join();
    reading_ = std::thread([this] {
        auto loaded = load_intent(config_file_);
        boost::asio::post(io_, [this, loaded = std::move(loaded)] { finish(loaded); });
    });
}

void Reloader::finish(const LoadedIntent& loaded) {
    const auto outcome = adopt_(loaded);
    busy_ = false;
    const auto served = std::exchange(served_, {});
    for (const auto& done : served) done(outcome);
    if (!waiting_.empty() && !busy_) begin();
}

}  // namespace twinsite::gslb
