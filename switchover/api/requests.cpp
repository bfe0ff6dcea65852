// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/requests.hpp"

#include <algorithm>
#include <initializer_list>

#include <boost/json.hpp>

namespace twinsite::switchover::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxReasonBytes = 500;
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxPasswordBytes = 256;
constexpr std::size_t kMinPasswordBytes = 12;
constexpr std::size_t kMaxOverrides = 64;
constexpr std::uint64_t kMaxPauseSeconds = 31ULL * 24 * 3600;
constexpr std::size_t kMaxDepth = 8;

/// Reads the members of one object and remembers the first thing that is wrong.
class Body {
public:
    explicit Body(std::string_view text) {
        if (text.size() > kMaxRequestBytes) {
            fail("the body is too large");
            return;
        }
        json::parse_options options;
        options.max_depth = kMaxDepth;
        boost::system::error_code failure;
        value_ = json::parse(text, failure, {}, options);
        if (failure || !value_.is_object())
            fail("the body must be a JSON object");
        else
            object_ = &value_.as_object();
    }
    Body(const json::value& value, std::string place) : place_(std::move(place)) {
        if (!value.is_object())
            fail("each must be an object");
        else
            object_ = &value.as_object();
    }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    void only(std::initializer_list<std::string_view> known) {
        if (!object_) return;
        for (const auto& member : *object_)
            if (std::find(known.begin(), known.end(), member.key()) == known.end())
                return fail("unknown member '" + printable(member.key()) + "'");
    }

    std::string text(std::string_view key, std::size_t max_bytes, bool required) {
        const auto* found = find(key);
        if (!found) {
            if (required) fail(quoted(key) + " is missing");
            return {};
        }
        if (!found->is_string()) {
            fail(quoted(key) + " must be a text");
            return {};
        }
        const auto& value = found->as_string();
        if (value.size() > max_bytes)
            fail(quoted(key) + " is longer than " + std::to_string(max_bytes) + " bytes");
        else if (required && value.empty())
            fail(quoted(key) + " must not be empty");
        else if (std::any_of(value.begin(), value.end(), is_control))
            fail(quoted(key) + " must not hold control characters");
        return failed() ? std::string() : std::string(value);
    }

    std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t max) {
        const auto* found = find(key);
        if (!found) return std::nullopt;
        const bool fits = found->is_int64() && found->as_int64() >= 1 &&
                          static_cast<std::uint64_t>(found->as_int64()) <= max;
        if (!fits) {
            fail(quoted(key) + " must be a whole number from 1 to " + std::to_string(max));
            return std::nullopt;
        }
        return static_cast<std::uint64_t>(found->as_int64());
    }

    /// nullptr when it is absent; a finding when it is no list or too long.
    const json::array* list(std::string_view key, std::size_t max) {
        const auto* found = find(key);
        if (!found) return nullptr;
        if (!found->is_array() || found->as_array().size() > max) {
            fail(quoted(key) + " must be a list of at most " + std::to_string(max));
            return nullptr;
        }
        return &found->as_array();
    }

    void one_of(
        std::string_view key,
        const std::string& value,
        std::initializer_list<std::string_view> words
    ) {
        if (failed() || std::find(words.begin(), words.end(), value) != words.end()) return;
        std::string all;
        for (const auto word : words) {
            if (word.empty()) continue;
            if (!all.empty()) all += ", ";
            all += word;
        }
        fail(quoted(key) + " must be one of: " + all);
    }

    void fail(std::string text) {
        if (wrong_.empty()) wrong_ = place_ + std::move(text);
    }
    bool failed() const { return !wrong_.empty(); }
    const std::string& wrong() const { return wrong_; }

private:
    static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
    static std::string quoted(std::string_view key) { return "'" + std::string(key) + "'"; }
    static std::string printable(std::string_view key) {
        std::string out;
        for (const char c : key.substr(0, kMaxNameBytes)) out += is_control(c) ? '?' : c;
        return out;
    }
    const json::value* find(std::string_view key) const {
        if (!object_) return nullptr;
        const auto* found = object_->if_contains(key);
        return found && !found->is_null() ? found : nullptr;
    }

    json::value value_;
    const json::object* object_ = nullptr;
    std::string place_;
    std::string wrong_;
};

template <class T>
Decoded<T> outcome(const Body& body, T value) {
    if (body.failed()) return BadBody{body.wrong()};
    return value;
}

}  // namespace

Decoded<LoginRequest> decode_login(std::string_view text) {
    Body body(text);
    body.only({"user", "password"});
    LoginRequest out;
    out.user = body.text("user", kMaxNameBytes, true);
    out.password = body.text("password", kMaxPasswordBytes, true);
    return outcome(body, std::move(out));
}

Decoded<PasswordRequest> decode_password(std::string_view text) {
    Body body(text);
    body.only({"old", "new"});
    PasswordRequest out;
    out.old_password = body.text("old", kMaxPasswordBytes, true);
    out.new_password = body.text("new", kMaxPasswordBytes, true);
    if (out.new_password.size() < kMinPasswordBytes)
        body.fail("'new' must have at least " + std::to_string(kMinPasswordBytes) + " characters");
    if (out.new_password == out.old_password) body.fail("'new' must differ from 'old'");
    return outcome(body, std::move(out));
}

Decoded<ModeRequest> decode_mode(std::string_view text) {
    Body body(text);
    body.only({"mode", "reason"});
    ModeRequest out;
    out.mode = body.text("mode", kMaxNameBytes, true);
    body.one_of("mode", out.mode, {"auto", "semi", "off"});
    out.reason = body.text("reason", kMaxReasonBytes, false);
    return outcome(body, std::move(out));
}

Decoded<PauseRequest> decode_pause(std::string_view text) {
    Body body(text);
    body.only({"reason", "until_s"});
    PauseRequest out;
    out.reason = body.text("reason", kMaxReasonBytes, true);
    out.until_s = body.whole("until_s", kMaxPauseSeconds);
    return outcome(body, std::move(out));
}

Decoded<RunRequest> decode_run_request(std::string_view text) {
    Body body(text);
    body.only({"scenario", "reason", "variant", "overrides"});
    RunRequest out;
    out.scenario = body.text("scenario", kMaxNameBytes, true);
    out.reason = body.text("reason", kMaxReasonBytes, false);
    out.variant = body.text("variant", kMaxNameBytes, false);
    if (const auto* overrides = body.list("overrides", kMaxOverrides)) {
        for (const auto& one : *overrides) {
            Body item(one, "'overrides': ");
            item.only({"rule", "reason"});
            RunOverride override_;
            override_.rule = item.text("rule", kMaxNameBytes, true);
            override_.reason = item.text("reason", kMaxReasonBytes, true);
            if (item.failed()) body.fail(item.wrong());
            out.overrides.push_back(std::move(override_));
        }
    }
    return outcome(body, std::move(out));
}

Decoded<OrderRequest> decode_order(std::string_view text) {
    Body body(text.empty() ? std::string_view("{}") : text);
    body.only({"reason", "step", "answer"});
    OrderRequest out;
    out.reason = body.text("reason", kMaxReasonBytes, false);
    out.step = body.text("step", kMaxNameBytes, false);
    out.answer = body.text("answer", kMaxNameBytes, false);
    body.one_of("answer", out.answer, {"", "yes", "no"});
    return outcome(body, std::move(out));
}

bool is_idempotency_key(std::string_view text) {
    const auto printable = [](char c) { return c > 0x20 && c < 0x7f; };
    return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), printable);
}

}  // namespace twinsite::switchover::api
