// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/message.hpp"

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

using Handler = std::function<Response(const Request&, const PathParameters&)>;

/// Finds the handler of a request. Filled before the server starts, then only read. Handlers run
/// on the server's thread and must be quick; an exception from one becomes a 500.
class Router {
public:
    /// `pattern`: "/api/v1/blades/{name}/drain"; {name} matches one non-empty segment, decoded
    /// after the split, so it may hold an escaped slash. A literal segment wins over a {name}.
    void add(std::string method, std::string_view pattern, Handler handler);
    /// 404 and 405 (with Allow) are problems. HEAD without a handler of its own is served by GET's.
    Response handle(const Request& request) const;

private:
    struct Route {
        std::string method;
        std::vector<std::string> segments;
        Handler handler;
    };
    std::vector<Route> routes_;
};

}  // namespace twinsite::base::http
