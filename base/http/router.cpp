// SPDX-License-Identifier: Apache-2.0
#include "base/http/router.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/error/check.hpp"
#include "base/http/event_stream.hpp"
#include "base/http/pending_answer.hpp"
#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::base::http {

namespace {

bool is_parameter(std::string_view segment) {
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

std::vector<std::string> segments_of(std::string_view path) {
    std::vector<std::string> out;
    for (const auto part : text::split(path, '/')) out.emplace_back(part);
    return out;
}

/// The decoded segments of a request's path; nullopt for a broken escape. Split first, decoded
/// after: an escaped slash belongs to its segment.
std::optional<std::vector<std::string>> decoded_segments(std::string_view target) {
    std::vector<std::string> out;
    for (const auto part : text::split(target.substr(0, target.find('?')), '/')) {
        auto segment = percent_decode(part);
        if (!segment) return std::nullopt;
        out.push_back(std::move(*segment));
    }
    return out;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
    if (pattern.size() != path.size()) return false;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (is_parameter(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
    return true;
}

/// "More literal" of two patterns that both match: the first difference decides.
bool more_literal(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (is_parameter(a[i]) != is_parameter(b[i])) return is_parameter(b[i]);
    return false;
}

PathParameters parameters_of(
    const std::vector<std::string>& pattern, const std::vector<std::string>& path
) {
    PathParameters out;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (is_parameter(pattern[i])) out.add(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    return out;
}

Response failed(const Request& request, const std::exception& failure) {
    log::event(
        log::Level::error,
        "http_handler_failed",
        {{"method", request.method}, {"path", request.path}, {"error", failure.what()}}
    );
    return problem(500, "Internal error", "The request could not be served; see the log.");
}

/// Calls a handler of any kind.
class Call {
public:
    Call(const Request& request, PathParameters parameters)
        : request_(request), parameters_(std::move(parameters)) {}

    Outcome operator()(const Handler& handler) const { return handler(request_, parameters_); }
    Outcome operator()(const LaterHandler& handler) const {
        auto pending = std::make_shared<PendingAnswer>();
        handler(request_, parameters_, Reply(pending));
        return pending;
    }
    Outcome operator()(const StreamHandler& handler) const {
        auto stream = std::make_shared<EventStream>();
        if (auto refused = handler(request_, parameters_, stream)) return std::move(*refused);
        return stream;
    }

private:
    const Request& request_;
    const PathParameters parameters_;
};

}  // namespace

const std::string& PathParameters::operator[](std::string_view name) const {
    const auto found = std::find_if(values_.begin(), values_.end(), [name](const auto& value) {
        return value.first == name;
    });
    BASE_CHECK(found != values_.end());
    return found->second;
}

void Router::add(std::string method, std::string_view pattern, Handler handler) {
    add_route(std::move(method), pattern, std::move(handler));
}
void Router::add_later(std::string method, std::string_view pattern, LaterHandler handler) {
    add_route(std::move(method), pattern, std::move(handler));
}
void Router::add_stream(std::string method, std::string_view pattern, StreamHandler handler) {
    add_route(std::move(method), pattern, std::move(handler));
}

void Router::add_route(std::string method, std::string_view pattern, AnyHandler handler) {
    BASE_CHECK(!pattern.empty() && pattern.front() == '/');
    routes_.push_back({std::move(method), segments_of(pattern), std::move(handler)});
}

void Router::set_guard(Guard guard) {
    guard_ = std::move(guard);
}

Response Router::handle(const Request& request) const {
    auto outcome = dispatch(request);
    if (auto* response = std::get_if<Response>(&outcome)) return std::move(*response);
    if (auto* pending = std::get_if<std::shared_ptr<PendingAnswer>>(&outcome);
        pending && (*pending)->answered()) {
        return (*pending)->take();
    }
    return problem(503, "Not at once", "This answer comes later.");
}

Outcome Router::dispatch(const Request& request) const {
    try {
        if (guard_)
            if (auto refused = guard_(request)) return std::move(*refused);
        return route(request);
    } catch (const std::exception& failure) {
        return failed(request, failure);
    }
}

bool Router::serves(const Route& route, const Request& request) {
    if (route.method == request.method) return true;
    return request.method == "HEAD" && route.method == "GET" &&
           !std::holds_alternative<StreamHandler>(route.handler);
}

Outcome Router::route(const Request& request) const {
    const auto path = decoded_segments(request.target);
    if (!path) return problem(400, "Bad request", "The path has a broken escape.");
    const Route* best = nullptr;
    std::vector<std::string> allowed;
    for (const auto& route : routes_) {
        if (!matches(route.segments, *path)) continue;
        allowed.push_back(route.method);
        if (!serves(route, request)) continue;
        if (!best || more_literal(route.segments, best->segments)) best = &route;
    }
    if (best) return std::visit(Call(request, parameters_of(best->segments, *path)), best->handler);
    if (allowed.empty())
        return problem(404, "Not found", "There is nothing at " + request.path + ".");
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    const auto methods = text::join(allowed, ", ");
    auto out = problem(
        405,
        "Method not allowed",
        request.path + " takes " + methods + ", not " + request.method + "."
    );
    out.headers.emplace_back("Allow", methods);
    return out;
}

}  // namespace twinsite::base::http
