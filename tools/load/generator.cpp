// SPDX-License-Identifier: Apache-2.0
#include "tools/load/generator.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sys/signalfd.h>

#include "tools/io/sockets.hpp"
#include "tools/io/stream.hpp"
#include "tools/load/client.hpp"

namespace twinsite::tools::load {

using namespace wire::diameter;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t kSignalTag = ~std::uint64_t{0};
constexpr int kMaxReadsPerTurn = 4;
constexpr milliseconds kTimerCheck{10};
/// Open loop: requests due within this time go out together. It shows in the latency, which counts
/// from the due time, and keeps the generator from one system call per request.
constexpr nanoseconds kCoalesce{100'000};
/// Time for all first connections.
constexpr std::chrono::seconds kConnectLimit{10};
constexpr milliseconds kFirstRedial{100};
constexpr milliseconds kLongestRedial{1000};
constexpr std::chrono::seconds kFarewell{2};

CcrTemplate::Origin origin_of(const Options& options, std::size_t index, std::uint32_t unix_time) {
    // The Time format of RFC 6733 section 4.3.1 counts from 1900.
    constexpr std::uint32_t kFrom1900To1970 = 2'208'988'800U;
    char number[16];
    std::snprintf(number, sizeof number, "%04zu", index);
    return {
        options.host_prefix + number + "." + options.realm,
        options.realm,
        options.destination_realm,
        unix_time,
        unix_time + kFrom1900To1970
    };
}

Client::Setup setup_of(const Options& options, std::size_t index, std::uint32_t unix_time) {
    Client::Setup out;
    out.origin = origin_of(options, index, unix_time);
    out.timeout = options.timeout;
    out.watchdog = options.watchdog;
    out.window = options.window;
    out.reconnect = options.reconnect;
    out.seed = unix_time + static_cast<std::uint32_t>(index) * 7919U;
    std::size_t wanted = options.open_sessions;
    if (wanted == 0) wanted = static_cast<std::size_t>(options.rate_per_second / 2);
    out.wanted_sessions = options.window > 0 ? options.window : wanted / options.connections;
    out.wanted_sessions = std::max<std::size_t>(out.wanted_sessions, 1);
    return out;
}

}  // namespace

struct Generator::Link {
    Link(Client::Setup setup, Workload& workload, Counters& counters)
        : client(std::move(setup), workload, counters) {}

    Client client;
    io::Stream stream;
    std::size_t target = 0;
    bool connected = false;
    bool marked = false;
    bool waits_for_room = false;
    bool closing = false;
    bool dead = false;  ///< lost for good, or left
    std::optional<Time> redial_at;
    milliseconds redial_delay = kFirstRedial;
};

Generator::Generator(Options options) : options_(std::move(options)), signals_(io::stop_signals()) {
    workload_.updates = options_.updates;
    workload_.sessions_to_start = options_.sessions;
    const auto unix_time = static_cast<std::uint32_t>(std::time(nullptr));
    for (std::size_t i = 0; i < options_.connections; ++i) {
        links_.push_back(
            std::make_unique<Link>(setup_of(options_, i, unix_time), workload_, counters_)
        );
        links_.back()->target = i % options_.targets.size();
    }
    poller_.add(signals_.number(), kSignalTag);
}

Generator::~Generator() = default;

Generator::Outcome Generator::run() {
    const Time now = Clock::now();
    give_up_connecting_ = now + kConnectLimit;
    started_ = last_answer_ = now;
    for (std::size_t i = 0; i < links_.size(); ++i) feed(i, Event::start(), now);
    flush_all(now);
    while (phase_ != Phase::over) turn();
    return problem_.empty() ? Outcome::finished : Outcome::unreachable;
}

void Generator::turn() {
    const auto ready = poller_.wait(time_to_wait(Clock::now()));
    for (const auto& event : ready) handle(event, Clock::now());
    const Time now = Clock::now();
    pace(now);
    check_timers(now);
    flush_all(now);
    check_phase(now);
}

nanoseconds Generator::time_to_wait(Time now) const {
    Time until = next_timer_check_;
    if (phase_ == Phase::loading && options_.rate_per_second > 0) {
        const nanoseconds due(static_cast<std::int64_t>(
            static_cast<double>(due_count_) / options_.rate_per_second * 1e9
        ));
        until = std::min(until, std::max(started_ + due, now + kCoalesce));
    }
    return std::max(nanoseconds::zero(), nanoseconds(until - now));
}

void Generator::handle(const io::Poller::Ready& event, Time now) {
    if (event.tag == kSignalTag) return take_signal();
    Link& link = *links_[event.tag];
    if (!link.stream.is_open()) return;
    if (!link.connected) {
        if (event.writable || event.readable) finish_connect(event.tag, now);
        return;
    }
    if (event.writable) mark(event.tag);
    if (event.readable) read_from(event.tag, now);
}

// Connections ------------------------------------------------------------------------------------

void Generator::dial(std::size_t index, Time now) {
    Link& link = *links_[index];
    auto socket = io::dial(options_.targets[link.target], options_.bind);
    if (!socket) {
        problem_ = socket.error().message();
        return feed(index, Event::transport_failed(), now);
    }
    link.stream.open(std::move(*socket));
    link.connected = link.waits_for_room = false;
    poller_.add(link.stream.socket().number(), index, true);
}

void Generator::finish_connect(std::size_t index, Time now) {
    Link& link = *links_[index];
    if (const auto error = io::connect_error(link.stream.socket())) {
        problem_ = error.message();
        close(index);
        return feed(index, Event::transport_failed(), now);
    }
    link.connected = true;
    poller_.change(link.stream.socket().number(), index, false);
    const auto local = io::local_endpoint(link.stream.socket());
    feed(index, Event::transport_up(local ? std::optional(local->address) : std::nullopt), now);
}

void Generator::feed(std::size_t index, const Event& event, Time now) {
    Link& link = *links_[index];
    obey(index, link.client.step(event, now, link.stream.out()), now);
}

void Generator::obey(std::size_t index, const Actions& actions, Time now) {
    Link& link = *links_[index];
    const bool down = actions.down;
    const bool close_it = actions.close;
    if (actions.opened) link.redial_delay = kFirstRedial;
    if (!actions.send.empty() || actions.opened) mark(index);
    if (actions.connect) dial(index, now);
    if (close_it && link.stream.is_open()) {
        link.closing = true;
        mark(index);
    }
    if (down) link_down(index, now);
}

void Generator::link_down(std::size_t index, Time now) {
    Link& link = *links_[index];
    const DownCause cause = link.client.peer().down_cause();
    if (cause == DownCause::refused) {
        problem_ = "the peer or its capabilities were refused with Result-Code " +
                   std::to_string(link.client.peer().refusal());
    } else if (cause == DownCause::handshake_failed) {
        problem_ = "no capabilities answer";
    }
    const bool again =
        phase_ == Phase::connecting || (options_.reconnect && phase_ != Phase::leaving);
    if (!again || redial_rule(cause) == RedialRule::never) {
        link.dead = true;
        return;
    }
    if (redial_rule(cause) == RedialRule::later) link.redial_delay = kLongestRedial;
    link.target = (link.target + 1) % options_.targets.size();
    // Spread, so that the clients of a lost server do not come back as one.
    const auto spread = link.redial_delay.count() * static_cast<long>(50 + index * 37 % 50) / 100;
    link.redial_at = now + milliseconds(spread);
    link.redial_delay = std::min(link.redial_delay * 2, kLongestRedial);
}

void Generator::close(std::size_t index) {
    Link& link = *links_[index];
    if (link.stream.is_open()) poller_.remove(link.stream.socket().number());
    link.stream.close();
    link.connected = link.closing = link.waits_for_room = false;
}

// Bytes ------------------------------------------------------------------------------------------

void Generator::mark(std::size_t index) {
    Link& link = *links_[index];
    if (link.marked) return;
    link.marked = true;
    touched_.push_back(index);
}

void Generator::read_from(std::size_t index, Time now) {
    Link& link = *links_[index];
    for (int reads = 0; reads < kMaxReadsPerTurn && link.stream.is_open(); ++reads) {
        bool filled = false;
        const auto got = link.stream.read(filled);
        if (got == io::Stream::Read::lost) {
            close(index);
            return feed(index, Event::transport_lost(), now);
        }
        if (got == io::Stream::Read::nothing) return;
        if (link.closing)
            link.stream.framer().reset();
        else
            take_messages(index, now);
        if (!filled) return;
    }
}

void Generator::take_messages(std::size_t index, Time now) {
    Link& link = *links_[index];
    const auto answered = counters_.answered;
    link.client.peer().heard(now);
    while (const auto message = link.stream.framer().next()) {
        const Actions* const actions = link.client.take(*message, now, link.stream.out());
        if (actions == nullptr) continue;
        obey(index, *actions, now);
        mark(index);
        if (link.closing || !link.stream.is_open()) return;
    }
    if (counters_.answered != answered) last_answer_ = now;
    if (const auto fault = link.stream.framer().fault())
        return feed(index, Event::bad_stream(*fault, link.stream.framer().rest()), now);
    if (options_.window > 0 && phase_ == Phase::loading) {
        link.client.fill_window(now, link.stream.out());
        mark(index);
    }
}

void Generator::flush_all(Time now) {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        links_[touched_[i]]->marked = false;
        flush(touched_[i], now);
    }
    touched_.clear();
}

void Generator::flush(std::size_t index, Time now) {
    Link& link = *links_[index];
    if (!link.stream.is_open() || !link.connected) return;
    if (!link.stream.flush()) {
        close(index);
        return feed(index, Event::transport_lost(), now);
    }
    const bool waits = !link.stream.out().empty();
    if (link.closing && !waits) {
        io::shut_down_writing(link.stream.socket());
        return close(index);
    }
    if (waits == link.waits_for_room) return;
    link.waits_for_room = waits;
    poller_.change(link.stream.socket().number(), index, waits);
}

// Pace -------------------------------------------------------------------------------------------

void Generator::pace(Time now) {
    if (phase_ != Phase::loading) return;
    const bool over = options_.duration && now - started_ >= *options_.duration;
    // What came due before the end is sent, however late we are: it counts.
    if (options_.rate_per_second > 0) issue_due(over ? started_ + *options_.duration : now, now);
    if (over) stop_loading();
}

std::optional<std::size_t> Generator::next_link() {
    for (std::size_t tries = 0; tries < links_.size(); ++tries) {
        const std::size_t index = next_link_;
        next_link_ = (next_link_ + 1) % links_.size();
        if (!links_[index]->dead) return index;
    }
    return std::nullopt;
}

void Generator::issue_due(Time until, Time now) {
    const double elapsed = static_cast<double>((until - started_).count()) / 1e9;
    const auto due_now = static_cast<std::uint64_t>(elapsed * options_.rate_per_second) + 1;
    for (; due_count_ < due_now; ++due_count_) {
        const nanoseconds offset(static_cast<std::int64_t>(
            static_cast<double>(due_count_) / options_.rate_per_second * 1e9
        ));
        const auto index = next_link();
        if (!index) return;
        Link& link = *links_[*index];
        if (link.client.issue(started_ + offset, now, link.stream.out())) mark(*index);
    }
}

// Time and phases --------------------------------------------------------------------------------

void Generator::check_timers(Time now) {
    if (now < next_timer_check_) return;
    next_timer_check_ = now + kTimerCheck;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        Link& link = *links_[i];
        const auto timer = link.client.peer().timer();
        if (timer.armed && timer.at <= now) feed(i, Event::timer(timer.generation), now);
        if (link.redial_at && *link.redial_at <= now) {
            link.redial_at.reset();
            if (link.stream.is_open()) close(i);
            feed(i, Event::start(), now);
        }
        link.client.expire(now);
        if (options_.window > 0 && phase_ == Phase::loading && !link.dead) {
            link.client.fill_window(now, link.stream.out());
            mark(i);
        }
    }
    print_progress(now);
}

void Generator::check_connecting(Time now) {
    const auto up = std::count_if(links_.begin(), links_.end(), [](const auto& link) {
        return link->client.peer().is_open();
    });
    if (static_cast<std::size_t>(up) == links_.size()) {
        problem_.clear();
        phase_ = Phase::loading;
        started_ = last_answer_ = now;
        next_timer_check_ = now;  // fills the windows
        return;
    }
    const bool hopeless = std::any_of(links_.begin(), links_.end(), [](const auto& link) {
        return link->client.peer().down_cause() == DownCause::refused;
    });
    if (now < give_up_connecting_ && !hopeless) return;
    if (problem_.empty()) problem_ = "timed out";
    phase_ = Phase::over;
}

bool Generator::all_done() const {
    return std::all_of(links_.begin(), links_.end(), [this](const auto& link) {
        if (link->dead) return true;
        if (link->client.waiting() > 0) return false;
        return workload_.stopped || (!workload_.may_start() && link->client.open_sessions() == 0);
    });
}

void Generator::check_phase(Time now) {
    switch (phase_) {
        case Phase::connecting:
            return check_connecting(now);
        case Phase::loading:
        case Phase::draining:
            if (all_done()) leave(now);
            return;
        case Phase::leaving: {
            const bool gone = std::all_of(links_.begin(), links_.end(), [](const auto& link) {
                return !link->stream.is_open();
            });
            if (gone || now >= leave_by_) phase_ = Phase::over;
            return;
        }
        case Phase::over:
            return;
    }
}

void Generator::leave(Time now) {
    phase_ = Phase::leaving;
    leave_by_ = now + kFarewell;
    problem_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
        links_[i]->redial_at.reset();
        feed(i, Event::stop(DisconnectCause::do_not_want_to_talk), now);
    }
    flush_all(now);
}

void Generator::take_signal() {
    // The first ends the load and waits for what is pending, the second ends at once.
    signalfd_siginfo info{};
    if (read(signals_.number(), &info, sizeof info) <= 0) return;
    if (phase_ == Phase::loading) return stop_loading();
    if (phase_ == Phase::connecting) problem_ = "interrupted";
    phase_ = Phase::over;
}

void Generator::stop_loading() {
    workload_.stopped = true;
    phase_ = Phase::draining;
}

void Generator::print_progress(Time now) {
    if (!options_.progress || phase_ != Phase::loading || now < next_progress_) return;
    next_progress_ = now + std::chrono::seconds(1);
    const auto up = std::count_if(links_.begin(), links_.end(), [](const auto& link) {
        return link->client.peer().is_open();
    });
    std::fprintf(
        stderr,
        "%.1fs: %llu answers in the last second, %llu in all, %llu lost, %zu links open\n",
        static_cast<double>((now - started_).count()) / 1e9,
        static_cast<unsigned long long>(counters_.answered - answered_before_),
        static_cast<unsigned long long>(counters_.answered),
        static_cast<unsigned long long>(counters_.lost),
        static_cast<std::size_t>(up)
    );
    answered_before_ = counters_.answered;
}

}  // namespace twinsite::tools::load
