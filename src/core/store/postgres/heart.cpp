#include "core/store/postgres/heart.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/env/thread.hpp"
#include "core/store/postgres/sql.hpp"

namespace belay::store::postgres {

namespace {

using namespace std::chrono_literals;

// The net under lost notifications.
constexpr Duration kPollEvery{5000};
// At most this often, whatever the commits: the first goes out at once.
constexpr Duration kNotifyEvery{10};
// Something due was in another's hand.
constexpr Duration kLookAgain{250};
constexpr Duration kReconnectAfter{200};
// A sender has signalled by then, or is gone. Should it only be slow, its run is woken twice.
constexpr Duration kForgottenAfter{2000};
// When in a round trip the server read its clock is not known, so a long one (this process was frozen, the server busy)
// says little: what was known before is better.
constexpr Duration kClockRoundTripMax{100};

std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a: the same in every build
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

Heart::Heard anything() {
    return {.requests = true, .due = true, .ended = SomeRuns::all(), .runs = SomeRuns::all()};
}

}  // namespace

std::string channel_of(const std::string& schema, const std::string& worker) {
    return fmt::format("belay_{:016x}", hash_of(schema + "\n" + worker));
}

Heart::Heart(Options options)
    : options_(std::move(options)), channel_(channel_of(options_.connect.schema)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    thread_ = env::start_thread("belay-heart", [this] { live(); });
}

Heart::~Heart() {
    stop();
    ::close(wake_);
}

void Heart::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        callback_ = nullptr;
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof(one));
    if (thread_.joinable()) thread_.join();
}

void Heart::is_worker(const std::string& name) {
    std::unique_lock lock(mutex_);
    worker_ = name;
    is_new_ = true;
    failed_ = nullptr;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof(one));
    registered_.wait(lock, [&] { return !is_new_ || failed_; });
    if (failed_) {
        worker_.clear();
        is_new_ = false;
        std::rethrow_exception(failed_);
    }
}

void Heart::stop_beating() {
    std::unique_lock lock(mutex_);
    worker_.clear();
    registered_.wait(lock, [&] { return !is_beating_; });
}

void Heart::tell(News news) {
    if (news.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        to_tell_.due = to_tell_.due || news.due;
        to_tell_.ended.add(news.ended);
        to_tell_.requests = to_tell_.requests || news.requests;
        for (const auto& [worker, runs] : news.runs) to_tell_.runs[worker].add(runs);
        if (!has_others_ && !stopping_) {
            // Whoever starts now claims, and looks, by itself.
            to_tell_ = {};
            return;
        }
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof(one));
}

void Heart::look_again_soon() {
    const std::lock_guard lock(mutex_);
    if (!look_again_at_) look_again_at_ = Steady::now() + kLookAgain;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof(one));
}

Heart::Heard Heart::heard() {
    const std::lock_guard lock(mutex_);
    return std::exchange(heard_, {});
}

void Heart::on_heard(std::function<void()> callback) {
    const std::lock_guard lock(mutex_);
    callback_ = std::move(callback);
}

void Heart::add_heard(const Heard& heard) {
    const std::lock_guard lock(mutex_);
    heard_.requests = heard_.requests || heard.requests;
    heard_.due = heard_.due || heard.due;
    heard_.ended.add(heard.ended);
    heard_.runs.add(heard.runs);
    if (callback_) callback_();
}

void Heart::live() {
    while (true) {
        bool over = false;
        {
            const std::lock_guard lock(mutex_);
            over = stopping_;
        }
        try {
            if (!connection_) connect();
            if (!over) beat();
            beat_is_over();
            pass_on();
            if (over) return;
            listen(time_left());
        } catch (const PgError& error) {
            beat_is_over();
            connection_.reset();
            listens_as_.clear();
            {
                const std::lock_guard lock(mutex_);
                if (is_new_) failed_ = std::make_exception_ptr(error);
                if (stopping_) return;
            }
            registered_.notify_all();
            std::unique_lock lock(mutex_);
            registered_.wait_for(lock, kReconnectAfter, [&] { return stopping_; });
        }
    }
}

void Heart::connect() {
    connection_ = std::make_unique<Connection>(options_.connect);
    connection_->run(fmt::format("LISTEN {}", channel_));
    next_beat_ = {};
    next_poll_ = Steady::now() + kPollEvery;
    // Whatever was said while nobody listened.
    add_heard(anything());
}

void Heart::signal_forgotten() {
    Parameters parameters;
    parameters.add(kForgottenAfter.count());
    connection_->run(sql::signal_forgotten, parameters);
}

void Heart::beat() {
    std::string worker;
    bool is_new = false;
    {
        const std::lock_guard lock(mutex_);
        worker = worker_;
        is_new = is_new_;
        is_beating_ = !worker.empty();
        if (look_again_at_ && Steady::now() >= *look_again_at_) {
            look_again_at_.reset();
            heard_.due = true;
            if (callback_) callback_();
        }
    }
    const auto now = Steady::now();
    if (now >= next_poll_) {
        next_poll_ = now + kPollEvery;
        if (!worker.empty()) signal_forgotten();
        add_heard(anything());
    }
    const bool other_is_dead = other_dies_at_ && now >= *other_dies_at_;
    if (worker.empty() || (!is_new && now < next_beat_ && !other_is_dead)) return;
    if (listens_as_ != worker) {
        connection_->run(fmt::format("LISTEN {}", channel_of(options_.connect.schema, worker)));
        listens_as_ = worker;
    }
    Parameters parameters;
    parameters.add(worker);
    parameters.add(options_.lease_for.count());
    connection_->send_prepared("beat", sql::beat, parameters);
    const auto before = Steady::now();
    const Result result = std::move(connection_->finish().back());
    const auto after = Steady::now();
    ++beats_;
    // A third: two lost beats still leave one in time.
    next_beat_ = after + options_.lease_for / 3;
    if (options_.clock_offset && after - before <= kClockRoundTripMax) {
        const auto middle = std::chrono::duration_cast<std::chrono::milliseconds>(
            (before + (after - before) / 2).time_since_epoch());
        options_.clock_offset->store(result.integer(0, 0) - middle.count());
    }
    has_others_ = !result.is_null(0, 1);
    other_dies_at_.reset();
    if (has_others_) {
        const std::int64_t left = result.integer(0, 1);
        if (left <= 0) {
            add_heard({.due = true});
            other_dies_at_ = after + 500ms;
        } else {
            other_dies_at_ = after + std::chrono::milliseconds{left + 2};
        }
    }
    if (is_new) {
        const std::lock_guard lock(mutex_);
        is_new_ = false;
        registered_.notify_all();
    }
}

// Whatever came of it, the beat is over.
void Heart::beat_is_over() {
    const std::lock_guard lock(mutex_);
    is_beating_ = false;
    registered_.notify_all();
}

void Heart::pass_on() {
    const auto now = Steady::now();
    News news;
    std::string worker;
    {
        const std::lock_guard lock(mutex_);
        if (to_tell_.empty() || (now < next_notify_ && !stopping_)) return;
        news = std::exchange(to_tell_, {});
        worker = worker_;
    }
    next_notify_ = now + kNotifyEvery;
    const auto notify = [&](const std::string& channel, const std::string& payload) {
        Parameters parameters;
        parameters.add(channel);
        parameters.add(payload);
        connection_->send_prepared("notify", "SELECT pg_notify($1, $2)", parameters);
    };
    if (news.due || news.requests || !news.ended.none()) {
        // Who reads only the flags, as older workers do, is told as much.
        notify(channel_,
               fmt::format("{}{}{}{}\n{}", news.due ? "d" : "-", news.ended.none() ? "-" : "e",
                           news.requests ? "r" : "-", worker, news.ended.text()));
    }
    for (const auto& [other, runs] : news.runs)
        notify(channel_of(options_.connect.schema, other), runs.text());
    connection_->finish();
}

// Until the next thing has to be done.
Duration Heart::time_left() {
    auto until = next_poll_;
    const std::lock_guard lock(mutex_);
    if (!worker_.empty()) until = std::min(until, next_beat_);
    if (other_dies_at_) until = std::min(until, *other_dies_at_);
    if (!to_tell_.empty()) until = std::min(until, next_notify_);
    if (look_again_at_) until = std::min(until, *look_again_at_);
    if (is_new_ || stopping_) return Duration{0};
    return std::max(std::chrono::ceil<Duration>(until - Steady::now()), Duration{0});
}

void Heart::listen(Duration wait) {
    const auto came = connection_->notifications(wait, wake_);
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(wake_, &count, sizeof(count));
    std::string worker;
    {
        const std::lock_guard lock(mutex_);
        worker = worker_;
    }
    Heard heard;
    bool any = false;
    for (const auto& notification : came) {
        if (notification.channel != channel_) {
            heard.runs.add(SomeRuns::from(notification.payload));
            any = true;
            continue;
        }
        const std::string& what = notification.payload;
        if (what.size() < 3) continue;
        const std::size_t line = std::min(what.find('\n'), what.size());
        if (what.substr(3, line - 3) == worker) continue;
        heard.due = heard.due || what[0] == 'd';
        if (what[1] == 'e') {
            heard.ended.add(line == what.size() ? SomeRuns::all()
                                                : SomeRuns::from(what.substr(line + 1)));
        }
        heard.requests = heard.requests || what[2] == 'r';
        any = true;
    }
    if (any) add_heard(heard);
}

}  // namespace belay::store::postgres
