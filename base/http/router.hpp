// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/http/message.hpp"
#include "base/http/reply.hpp"

namespace twinsite::base::http {

/// The decoded values of a pattern's {names}, in the order of the pattern.
class PathParameters {
public:
    void add(std::string name, std::string value) {
        values_.emplace_back(std::move(name), std::move(value));
    }
    /// The value of {name}. Asking for a name that the pattern does not have is a bug: it aborts.
    const std::string& operator[](std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

class EventStream;

using Handler = std::function<Response(const Request&, const PathParameters&)>;
/// The request lives only as long as the call.
using LaterHandler = std::function<void(const Request&, const PathParameters&, Reply)>;
/// A response refuses; without one the stream begins, with what was sent to it already.
using StreamHandler = std::function<
    std::optional<Response>(const Request&, const PathParameters&, std::shared_ptr<EventStream>)>;
/// Asked before any handler, also where there is none. A response refuses the request.
using Guard = std::function<std::optional<Response>(const Request&)>;

/// What became of a request: answered, to be answered later, or a stream of events.
using Outcome =
    std::variant<Response, std::shared_ptr<PendingAnswer>, std::shared_ptr<EventStream>>;

/// Finds the handler of a request. Filled before the server starts, then only read. Handlers run
/// on the server's thread and must be quick; an exception from one becomes a 500.
class Router {
public:
    /// `pattern`: "/api/v1/blades/{name}/drain"; {name} matches one non-empty segment, decoded
    /// after the split, so it may hold an escaped slash. A literal segment wins over a {name}.
    void add(std::string method, std::string_view pattern, Handler handler);
    void add_later(std::string method, std::string_view pattern, LaterHandler handler);
    void add_stream(std::string method, std::string_view pattern, StreamHandler handler);
    void set_guard(Guard guard);

    /// 404 and 405 (with Allow) are problems. HEAD without a handler of its own is served by GET's,
    /// but a stream has no HEAD.
    Outcome dispatch(const Request& request) const;
    /// The answer if it is there at once; for a later one or a stream a 503.
    Response handle(const Request& request) const;

private:
    using AnyHandler = std::variant<Handler, LaterHandler, StreamHandler>;
    struct Route {
        std::string method;
        std::vector<std::string> segments;
        AnyHandler handler;
    };
    void add_route(std::string method, std::string_view pattern, AnyHandler handler);
    static bool serves(const Route& route, const Request& request);
    Outcome route(const Request& request) const;

    Guard guard_;
    std::vector<Route> routes_;
};

}  // namespace twinsite::base::http
