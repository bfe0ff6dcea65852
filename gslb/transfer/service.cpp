// SPDX-License-Identifier: Apache-2.0
#include "gslb/transfer/service.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <pthread.h>

#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "base/log/log.hpp"
#include "gslb/transfer/fetch.hpp"
#include "gslb/transfer/refresh_state.hpp"
#include "gslb/transfer/serial.hpp"
#include "gslb/transfer/served_history.hpp"
#include "gslb/zone/index_builder.hpp"

namespace twinsite::gslb::transfer {

namespace {

namespace asio = boost::asio;
namespace log = base::log;
using log::Level;
using std::chrono::seconds;
using wire::dns::Name;
using Clock = std::chrono::steady_clock;

seconds since(Clock::time_point then) {
    return std::chrono::duration_cast<seconds>(Clock::now() - then);
}

Copies::Wall wall_now() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now());
}

/// A zone with primaries. Used by the service's thread; what views() reads, under the mutex.
struct Secondary {
    Secondary(asio::io_context& io, const Name& name)
        : origin(name), state(Clock::now()), alarm(io) {}

    const Name origin;
    ZoneSettings settings;
    RefreshState state;
    asio::steady_timer alarm;  ///< cancelled to look at the state again
    bool whole = false;        ///< an operator wants the whole zone
    bool gone = false;
    std::string error;
    std::string transfer;
    std::string transfer_from;
    std::optional<Clock::time_point> transferred;
};

/// A peer that is told of changes.
struct Told {
    bool running = false;
    bool again = false;  ///< another serial came meanwhile
    std::optional<bool> acknowledged;
    std::uint32_t serial = 0;
};

}  // namespace

struct Service::Impl {
    Impl(std::shared_ptr<Copies> copies_, std::function<void()> changed_)
        : copies(std::move(copies_)),
          changed(std::move(changed_)),
          shelf(std::make_shared<Shelf>([this](const Name& origin, auto serial) {
              asio::post(io, [this, origin, serial] { notified(origin, serial); });
          })),
          tasks(io.get_executor()),
          guard(io.get_executor()),
          thread([this] { run(); }) {}

    void run() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        pthread_setname_np(pthread_self(), "transfer");
        io.run();
    }

    // ------------------------------------------------------------ settings

    void adopt(Settings next) {
        if (stopping) return;
        std::vector<std::shared_ptr<const Offer>> offers;
        std::vector<Name> changed_serials;
        for (auto& zone : next.zones) {
            auto offer = std::make_shared<Offer>();
            offer->settings = zone;
            if (zone.transferable && zone.served) {
                const bool fresh = history.take(next.state_directory, zone, offer->journal);
                if (fresh) changed_serials.push_back(zone.origin);
            }
            offers.push_back(std::move(offer));
        }
        shelf->set(next.keys, std::move(offers));
        std::vector<std::shared_ptr<Secondary>> fresh;
        {
            const std::lock_guard lock(mutex);
            settings = std::move(next);
            keep_secondaries(fresh);
        }
        // A task may run at once, and lock.
        for (auto& secondary : fresh) tasks.start(look_after(std::move(secondary)));
        for (const auto& origin : changed_serials) notify(origin);
    }

    /// Begins with the zones that are new among those with primaries, ends with those gone.
    void keep_secondaries(std::vector<std::shared_ptr<Secondary>>& fresh) {
        std::set<Name> wanted;
        for (const auto& zone : settings.zones) {
            if (zone.primaries.empty()) continue;
            wanted.insert(zone.origin);
            auto& secondary = secondaries[zone.origin];
            if (!secondary) {
                secondary = std::make_shared<Secondary>(io, zone.origin);
                restore(*secondary);
                fresh.push_back(secondary);
            }
            secondary->settings = zone;
        }
        std::erase_if(secondaries, [&](const auto& entry) {
            if (wanted.contains(entry.first)) return false;
            entry.second->gone = true;
            entry.second->alarm.cancel();
            return true;
        });
    }

    void restore(Secondary& secondary) {
        const auto copy = copies->find(settings.state_directory, secondary.origin);
        if (!copy.zone) return;
        const auto* const soa = find_soa(*copy.zone);
        if (soa == nullptr) return;
        secondary.state.restored(
            read_soa(soa->rdatas.front()), Clock::now(), wall_now() - copy.confirmed
        );
    }

    // ------------------------------------------------------------ secondaries

    asio::awaitable<void> look_after(std::shared_ptr<Secondary> secondary) {
        while (!secondary->gone && !stopping) {
            const auto now = Clock::now();
            if (expire(*secondary, now)) changed();
            if (secondary->state.next() <= now) {
                co_await ask(*secondary);
                continue;
            }
            auto until = secondary->state.next();
            if (const auto at = secondary->state.expires()) until = std::min(until, *at);
            secondary->alarm.expires_at(until);
            co_await secondary->alarm.async_wait(base::async::as_result);
        }
    }

    bool expire(Secondary& secondary, Clock::time_point now) {
        {
            const std::lock_guard lock(mutex);
            if (!secondary.state.expire(now)) return false;
        }
        copies->set_expired(secondary.origin);
        log::event(
            Level::error,
            "zone_expired",
            {{"zone", secondary.origin.to_string()}, {"cause", secondary.error}}
        );
        return true;
    }

    asio::awaitable<void> ask(Secondary& secondary) {
        const bool whole = std::exchange(secondary.whole, false);
        std::string problem;
        const auto primaries = secondary.settings.primaries;
        for (const auto& primary : primaries) {
            FetchOrder order;
            order.origin = secondary.origin;
            order.primary = primary;
            order.have = copies->find(settings.state_directory, secondary.origin).zone;
            order.whole = whole || !order.have;
            std::string why;
            auto fetched = co_await fetch(std::move(order), why);
            if (stopping || secondary.gone) co_return;
            if (fetched) why = take(secondary, primary, *fetched);
            if (fetched && why.empty()) co_return;
            if (!fetched) why = fetched.error().message() + (why.empty() ? "" : ": " + why);
            problem += (problem.empty() ? "" : "; ") + to_string(primary.address) + ": " + why;
        }
        fail(secondary, problem);
    }

    void fail(Secondary& secondary, const std::string& problem) {
        {
            const std::lock_guard lock(mutex);
            ++counts.failed;
            secondary.error = problem;
            secondary.state.failed(Clock::now());
        }
        log::event(
            Level::warning,
            "zone_refresh_failed",
            {{"zone", secondary.origin.to_string()}, {"cause", problem}}
        );
    }

    /// What is wrong with what came, or nothing: then it is in use.
    std::string take(Secondary& secondary, const Peer& primary, Fetched& fetched) {
        const auto origin = secondary.origin;
        if (!fetched.zone) {
            const bool back = copies->confirm(settings.state_directory, origin, wall_now());
            const auto copy = copies->find(settings.state_directory, origin);
            confirm(secondary, *copy.zone);
            {
                const std::lock_guard lock(mutex);
                ++counts.checks;
            }
            if (back) {
                log::event(Level::info, "zone_back", {{"zone", origin.to_string()}});
                changed();
            }
            return "";
        }
        if (auto why = try_out(*fetched.zone); !why.empty()) return why;
        const auto kept = copies->put(settings.state_directory, fetched.zone, wall_now());
        if (!kept)
            log::event(
                Level::error,
                "state_not_saved",
                {{"what", "zone " + origin.to_string()}, {"cause", kept.error().message()}}
            );
        confirm(secondary, *fetched.zone);
        const bool incremental = fetched.kind == TransferReader::Kind::differences;
        {
            const std::lock_guard lock(mutex);
            ++(incremental ? counts.incremental : counts.whole);
            secondary.transfer = incremental ? "IXFR" : "AXFR";
            secondary.transfer_from = to_string(primary.address);
            secondary.transferred = Clock::now();
        }
        log::event(
            Level::info,
            "zone_transferred",
            {{"zone", origin.to_string()},
             {"serial", fetched.serial},
             {"kind", incremental ? "IXFR" : "AXFR"},
             {"primary", to_string(primary.address)}}
        );
        changed();
        return "";
    }

    void confirm(Secondary& secondary, const zone::ZoneData& zone) {
        const auto* const soa = find_soa(zone);
        const std::lock_guard lock(mutex);
        secondary.error.clear();
        secondary.state.confirmed(read_soa(soa->rdatas.front()), Clock::now());
    }

    /// Builds the zone alone, with its steered names: one that cannot be served must hold up no
    /// other.
    std::string try_out(const zone::ZoneData& zone) const {
        std::vector<zone::SteeredName> steered;
        for (const auto& name : settings.steered)
            if (is_of(name.name, zone.origin)) steered.push_back(name);
        const auto built = zone::build_index({&zone, 1}, steered);
        return built.index ? "" : built.problems.front();
    }

    /// Whether no zone of ours below `origin` has the name.
    bool is_of(const Name& name, const Name& origin) const {
        if (!name.is_at_or_below(origin)) return false;
        return std::none_of(settings.zones.begin(), settings.zones.end(), [&](const auto& other) {
            return other.origin.size_bytes() > origin.size_bytes() &&
                   name.is_at_or_below(other.origin);
        });
    }

    void notified(const Name& origin, std::optional<std::uint32_t> serial) {
        const auto found = secondaries.find(origin);
        if (found == secondaries.end()) return;
        const auto copy = copies->find(settings.state_directory, origin);
        // What we have, or older: it is the retry of a NOTIFY.
        if (serial && copy.zone && !copy.expired && !is_newer(*serial, copy.zone->serial)) return;
        ask_now(*found->second);
    }

    void ask_now(Secondary& secondary) {
        const std::lock_guard lock(mutex);
        secondary.state.ask_now(Clock::now());
        secondary.alarm.cancel();
    }

    // ------------------------------------------------------------ NOTIFY

    void notify(const Name& origin) {
        const auto offer = shelf->find(origin);
        if (!offer || !offer->settings.served || stopping) return;
        for (const auto& peer : offer->settings.notify) {
            std::unique_lock lock(mutex);
            auto& told = tellings[{origin, to_string(peer.address)}];
            told.again = true;
            const bool runs = std::exchange(told.running, true);
            lock.unlock();  // a task may run at once, and lock
            if (!runs) tasks.start(tell(origin, peer));
        }
    }

    asio::awaitable<void> tell(Name origin, Peer peer) {
        const std::pair<Name, std::string> key{origin, to_string(peer.address)};
        Told& told = tellings.at(key);  // entries stay where they are, and are never erased
        while (std::exchange(told.again, false) && !stopping) {
            const auto offer = shelf->find(origin);
            if (!offer || !offer->settings.served) break;
            const auto serial = offer->settings.served->serial;
            const auto result = co_await send_notify(peer, *find_soa(*offer->settings.served));
            if (stopping) co_return;
            note_told(key, serial, result);
        }
        const std::lock_guard lock(mutex);
        told.running = false;
    }

    void note_told(
        const std::pair<Name, std::string>& key, std::uint32_t serial, const NotifyResult& result
    ) {
        {
            const std::lock_guard lock(mutex);
            ++(result.acknowledged ? counts.notify_sent : counts.notify_failed);
            tellings[key].acknowledged = result.acknowledged;
            tellings[key].serial = serial;
        }
        log::event(
            result.acknowledged ? Level::info : Level::warning,
            "zone_notified",
            {{"zone", key.first.to_string()},
             {"peer", key.second},
             {"serial", serial},
             {"acknowledged", result.acknowledged},
             {"rcode", result.rcode},
             {"tries", result.tries}}
        );
    }

    // ------------------------------------------------------------ views (mutex held)

    ZoneView view_of(const ZoneSettings& zone) const {
        ZoneView out;
        out.zone = zone.origin.to_string();
        out.state = "loaded";
        const auto offer = shelf->find(zone.origin);
        if (offer && offer->settings.served) {
            out.serial = offer->settings.served->serial;
            for (const auto& set : offer->settings.served->rrsets) out.records += set.rdatas.size();
        }
        if (offer) out.journal = offer->journal.size();
        const auto secondary = secondaries.find(zone.origin);
        if (secondary != secondaries.end()) add_primaries(*secondary->second, out);
        add_secondaries(zone, out);
        return out;
    }

    static void add_primaries(const Secondary& from, ZoneView& out) {
        out.secondary = true;
        const auto phase = from.state.phase();
        out.state = phase == RefreshState::Phase::current ? "transferred" : to_string(phase);
        for (const auto& primary : from.settings.primaries)
            out.primaries.push_back(to_string(primary.address));
        out.error = from.error;
        if (const auto at = from.state.confirmed_at()) out.checked = since(*at);
        if (const auto at = from.state.failing_since()) out.stale_for = since(*at);
        out.next_refresh = std::max(seconds(0), -since(from.state.next()));
        if (const auto at = from.state.expires()) out.expires = std::max(seconds(0), -since(*at));
        out.transfer = from.transfer;
        out.transfer_from = from.transfer_from;
        if (from.transferred) out.transfer_age = since(*from.transferred);
    }

    void add_secondaries(const ZoneSettings& zone, ZoneView& out) const {
        auto sent = shelf->sent(zone.origin);
        for (const auto& peer : zone.notify) {
            auto& view = out.secondaries.emplace_back();
            view.address = to_string(peer.address);
            const auto told = tellings.find({zone.origin, view.address});
            if (told != tellings.end()) {
                view.notifying = told->second.running;
                view.acknowledged = told->second.acknowledged;
                view.notified_serial = told->second.serial;
            }
            const auto found = sent.find(to_string(peer.address.address));
            if (found == sent.end()) continue;
            add_sent(found->second, view);
            sent.erase(found);
        }
        for (const auto& [address, last] : sent) {
            auto& view = out.secondaries.emplace_back();
            view.address = address;
            add_sent(last, view);
        }
    }

    static void add_sent(const Sent& sent, SecondaryView& out) {
        out.transfer = sent.kind;
        out.transferred_serial = sent.serial;
        out.transferred_whole = sent.whole;
        out.transfer_age = since(sent.at);
    }

    // fixed after construction
    const std::shared_ptr<Copies> copies;
    const std::function<void()> changed;
    // owned by the thread; written under the mutex, which views() takes
    asio::io_context io{1};
    mutable std::mutex mutex;
    Settings settings;
    std::map<Name, std::shared_ptr<Secondary>> secondaries;
    std::map<std::pair<Name, std::string>, Told> tellings;
    InCounts counts;
    // owned by the thread
    ServedHistory history;
    bool stopping = false;
    const std::shared_ptr<Shelf> shelf;  // any thread
    base::async::TaskGroup tasks;
    asio::executor_work_guard<asio::io_context::executor_type> guard;
    std::thread thread;
};

Service::Service(std::shared_ptr<Copies> copies, std::function<void()> changed)
    : impl_(std::make_unique<Impl>(std::move(copies), std::move(changed))) {}

Service::~Service() {
    stop();
}

std::shared_ptr<server::TransferSeam> Service::seam() {
    return impl_->shelf;
}

void Service::adopt(Settings settings) {
    asio::post(impl_->io, [this, settings = std::move(settings)]() mutable {
        impl_->adopt(std::move(settings));
    });
}

bool Service::retransfer(const Name& origin) {
    const auto offer = impl_->shelf->find(origin);
    if (!offer || offer->settings.primaries.empty()) return false;
    asio::post(impl_->io, [this, origin] {
        const auto found = impl_->secondaries.find(origin);
        if (found == impl_->secondaries.end()) return;
        found->second->whole = true;
        impl_->ask_now(*found->second);
    });
    return true;
}

bool Service::notify(const Name& origin) {
    const auto offer = impl_->shelf->find(origin);
    if (!offer || offer->settings.notify.empty()) return false;
    asio::post(impl_->io, [this, origin] { impl_->notify(origin); });
    return true;
}

std::vector<ZoneView> Service::views() const {
    const std::lock_guard lock(impl_->mutex);
    std::vector<ZoneView> out;
    for (const auto& zone : impl_->settings.zones) out.push_back(impl_->view_of(zone));
    return out;
}

InCounts Service::in_counts() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->counts;
}

Shelf::Counts Service::out_counts() const {
    return impl_->shelf->counts();
}

void Service::stop() {
    if (!impl_->thread.joinable()) return;
    asio::post(impl_->io, [this] {
        impl_->stopping = true;
        impl_->tasks.cancel();
        impl_->guard.reset();
    });
    impl_->thread.join();
}

}  // namespace twinsite::gslb::transfer
