// SPDX-License-Identifier: Apache-2.0
#include "base/http/reply.hpp"

#include <exception>
#include <utility>

#include "base/http/pending_answer.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::http {

void PendingAnswer::answer(Response response) {
    if (!waiting()) return;
    response_ = std::move(response);
    gone_ = nullptr;
    if (wake_) wake_();
}

void PendingAnswer::on_gone(std::function<void()> gone) {
    if (response_) return;
    if (ended_)
        gone();
    else
        gone_ = std::move(gone);
}

Response PendingAnswer::take() {
    ended_ = true;
    return std::move(*response_);
}

void PendingAnswer::give_up(Response response) {
    if (!waiting()) return;
    const auto gone = std::exchange(gone_, nullptr);
    answer(std::move(response));
    if (gone) gone();
}

void PendingAnswer::end(bool tell) {
    if (ended_) return;
    ended_ = true;
    wake_ = nullptr;
    const auto gone = std::exchange(gone_, nullptr);
    if (tell && gone) gone();
}

/// Shared by the copies of a Reply: what remains when the last of them goes.
struct Reply::Last {
    std::shared_ptr<PendingAnswer> pending;

    explicit Last(std::shared_ptr<PendingAnswer> answer) : pending(std::move(answer)) {}
    Last(const Last&) = delete;
    Last& operator=(const Last&) = delete;
    ~Last() {
        if (!pending->waiting()) return;
        log::event(log::Level::error, "http_answer_forgotten");
        pending->answer(problem(500, "Internal error", "The request was dropped; see the log."));
    }
};

Reply::Reply(std::shared_ptr<PendingAnswer> pending)
    : last_(std::make_shared<Last>(std::move(pending))) {}

void Reply::reply(Response response) const {
    last_->pending->answer(std::move(response));
}
void Reply::on_gone(std::function<void()> gone) const {
    last_->pending->on_gone(std::move(gone));
}
bool Reply::waiting() const {
    return last_->pending->waiting();
}

}  // namespace twinsite::base::http
