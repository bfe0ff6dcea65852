// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/measurements_api.hpp"

#include <cmath>

#include <boost/json.hpp>

#include "base/text/ip.hpp"
#include "gslb/control/json.hpp"

namespace twinsite::gslb::control {
namespace {

namespace json = boost::json;
using base::http::problem;
using base::http::Request;
using base::http::Response;
using std::chrono::milliseconds;

constexpr std::size_t kMaxItems = 10'000;
constexpr double kLongestAge_ms = 7 * 86'400'000.0;

/// Reads members of one item; the first thing wrong with it is kept.
class Item {
public:
    explicit Item(const json::value& from) : from_(from.if_object()) {
        if (from_ == nullptr) wrong_ = "each item must be an object";
    }

    std::string text(const char* key) {
        const auto* value = find(key);
        if (value == nullptr) return "";
        if (!value->is_string() || value->as_string().empty() || value->as_string().size() > 255)
            fail(key, "must be a text of 1 to 255 bytes");
        return wrong_.empty() ? std::string(value->as_string()) : "";
    }
    double number(const char* key, double low, double high) {
        const auto* value = find(key);
        if (value == nullptr) return 0;
        boost::system::error_code not_a_number;
        const auto out = value->to_number<double>(not_a_number);
        if (not_a_number || !std::isfinite(out) || out < low || out > high) {
            fail(key, "must be a number of a sensible size");
            return 0;
        }
        return out;
    }
    double number_or(const char* key, double low, double high, double fallback) {
        if (from_ == nullptr || !from_->contains(key)) return fallback;
        return number(key, low, high);
    }
    milliseconds age() {
        return milliseconds(static_cast<std::int64_t>(number_or("age_ms", 0, kLongestAge_ms, 0)));
    }
    void fail(const char* key, const char* what) {
        if (wrong_.empty()) wrong_ = "'" + std::string(key) + "' " + what;
    }
    const std::string& wrong() const { return wrong_; }

private:
    const json::value* find(const char* key) {
        if (from_ == nullptr) return nullptr;
        const auto* value = from_->if_contains(key);
        if (value == nullptr) fail(key, "is missing");
        return value;
    }

    const json::object* from_;
    std::string wrong_;
};

Response malformed(std::size_t place, const std::string& detail) {
    return problem(422, "Wrong report", "item " + std::to_string(place) + ": " + detail);
}

/// A list, an object with a list under `key`, or one item alone.
std::vector<const json::value*> items_of(const json::value& body, const char* key) {
    std::vector<const json::value*> out;
    const auto* named = body.is_object() ? body.as_object().if_contains(key) : &body;
    if (named == nullptr || !named->is_array()) return {&body};
    for (const auto& value : named->as_array()) out.push_back(&value);
    return out;
}

/// Calls `take(item)` for each item of the list under `key`; what it returns is wrong with it.
/// Items before the wrong one count.
template <class Take>
Response take_items(const Request& request, const char* key, Helm& helm, Take take) {
    boost::system::error_code broken;
    const auto body = json::parse(request.body, broken);
    if (broken) return problem(400, "Not JSON", "the body " + broken.message());
    const auto items = items_of(body, key);
    if (items.size() > kMaxItems)
        return problem(422, "Wrong report", "no more than 10000 items at a time");
    std::size_t place = 0;
    std::string wrong;
    for (const auto* value : items) {
        Item item(*value);
        wrong = take(item);
        if (!wrong.empty()) break;
        ++place;
    }
    helm.use_reports();
    if (!wrong.empty()) return malformed(place, wrong);
    return json_answer({{"taken", place}, {"snapshot", helm.snapshot().version()}});
}

std::string text_of(const std::optional<Refusal>& refusal) {
    return refusal ? refusal->text : "";
}

}  // namespace

Response put_facts(Helm& helm, const Request& request) {
    return take_items(request, "facts", helm, [&](Item& item) {
        Helm::FactReport report;
        report.name = item.text("name");
        report.value = item.number("value", -1e300, 1e300);
        report.ttl =
            milliseconds(static_cast<std::int64_t>(1000 * item.number_or("ttl_s", 1, 86'400, 30)));
        report.age = item.age();
        if (!item.wrong().empty()) return item.wrong();
        return helm.report_fact(report) ? std::string() : "there are too many facts";
    });
}

Response put_loads(Helm& helm, const Request& request) {
    return take_items(request, "loads", helm, [&](Item& item) {
        Helm::LoadReport report;
        report.service = item.text("service");
        report.target = item.text("target");
        report.percent = item.number("load_percent", 0, 100'000);
        report.seq = static_cast<std::uint64_t>(item.number_or("seq", 0, 9e15, 0));
        report.age = item.age();
        if (!item.wrong().empty()) return item.wrong();
        return text_of(helm.report_load(report));
    });
}

Response put_delays(Helm& helm, const Request& request) {
    return take_items(request, "delays", helm, [&](Item& item) {
        Helm::DelayReport report;
        const auto prefix = base::text::parse_prefix(item.text("prefix"));
        if (!prefix) item.fail("prefix", "must be a network without bits beyond its length");
        report.site = item.text("site");
        report.rtt_ms = item.number("rtt_ms", 0, 60'000);
        report.age = item.age();
        if (!item.wrong().empty()) return item.wrong();
        report.prefix = *prefix;
        return text_of(helm.report_delay(report));
    });
}

Response show_facts(const Helm& helm) {
    json::array out;
    for (const auto& fact : helm.measurements().fact_views(helm.time()))
        out.push_back(json::object{
            {"name", fact.name},
            {"value", fact.value},
            {"age_ms", fact.age.count()},
            {"ttl_s", static_cast<double>(fact.ttl.count()) / 1000},
            {"fresh", fact.fresh},
        });
    return json_answer({{"facts", out}});
}

Response show_loads(const Helm& helm) {
    json::array out;
    for (const auto& load : helm.measurements().load_views()) {
        json::object item{
            {"service", load.service},
            {"target", load.target},
            {"share_permille", load.share_permille},
            {"load_percent", nullptr},
            {"age_ms", nullptr},
        };
        if (load.last) {
            item["load_percent"] = load.last->percent;
            item["age_ms"] = (helm.time() - load.last->heard_at).count();
        }
        out.push_back(std::move(item));
    }
    return json_answer({{"loads", out}, {"delays", helm.measurements().delays().size()}});
}

Response release_site(Helm& helm, const std::string& service, const std::string& site) {
    if (!helm.release_site(service, site))
        return problem(
            404, "Nothing waits", "site " + site + " of service " + service + " does not wait"
        );
    return json_answer({{"snapshot", helm.snapshot().version()}});
}

Response show_waiting_sites(const Helm& helm) {
    json::array out;
    for (const auto& [key, entry] : helm.site_returns().entries()) {
        json::object item{
            {"service", key.first}, {"site", key.second}, {"back", entry.back_since.has_value()}
        };
        if (entry.back_since) item["back_for_ms"] = (helm.time() - *entry.back_since).count();
        out.push_back(std::move(item));
    }
    return json_answer({{"sites", out}});
}

}  // namespace twinsite::gslb::control
