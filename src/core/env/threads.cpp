#include "core/env/threads.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "core/base/assert.hpp"
#include "core/env/thread.hpp"

namespace belay::env {

using namespace std::chrono_literals;

namespace {

// A wall clock may jump while the watch sleeps, so it never sleeps longer than this.
constexpr Duration kWatchAtLeastEvery = 1s;

}  // namespace

struct ThreadExecutor::Io {
    explicit Io(int count) : context(count), work(context.get_executor()) {
        for (int i = 0; i < count; ++i)
            threads.push_back(start_thread("belay-io", [this] { run(); }));
    }

    void run() noexcept {
        try {
            context.run();
        } catch (const std::exception& e) {
            BELAY_ASSERT(false, "an exception left an I/O handler: {}", e.what());
        }
    }

    boost::asio::io_context context;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
    std::vector<std::thread> threads;
};

ThreadExecutor::ThreadExecutor(const Clock& clock, ThreadLimits limits)
    : clock_(clock), limits_(limits), workers_(limits.pool_max, [this] { watch_parker_.unpark(); }),
      commits_("belay-commit"), watch_thread_(start_thread("belay-watch", [this] { watch(); })),
      clock_moves_(clock.on_change([this] { watch_parker_.unpark(); })) {}

ThreadExecutor::~ThreadExecutor() { stop(); }

void ThreadExecutor::post(Lane lane, Job job) {
    if (lane == Lane::Commit)
        commits_.post(std::move(job));
    else
        workers_.post(lane, std::move(job));
}

void ThreadExecutor::post_all(Lane lane, std::vector<Job> jobs) {
    if (lane == Lane::Commit)
        commits_.post_all(std::move(jobs));
    else
        workers_.post_all(lane, std::move(jobs));
}

void ThreadExecutor::post_at(Time when, Lane lane, Job job) {
    if (when <= clock_.now()) return post(lane, std::move(job));
    bool too_late = false;
    {
        std::lock_guard lock(timers_mutex_);
        if (stopping_) return;  // `job` is destroyed after the lock is released
        timers_.add(when, lane, std::move(job));
        too_late = when < next_watch_;
    }
    if (too_late) watch_parker_.unpark();
}

boost::asio::io_context& ThreadExecutor::io() {
    std::lock_guard lock(io_mutex_);
    BELAY_ASSERT(!io_stopped_, "io() was asked for after stop()");
    if (!io_) io_ = std::make_unique<Io>(limits_.io_threads);
    return io_->context;
}

PoolStats ThreadExecutor::pool() const { return workers_.stats(clock_); }

void ThreadExecutor::watch() {
    while (!stopping_) {
        const std::chrono::nanoseconds timers_want = fire_timers();
        const auto pool_wants = workers_.look().value_or(timers_want);
        watch_parker_.park_for(std::min(timers_want, pool_wants));
    }
}

// Returns how long nothing is due.
Duration ThreadExecutor::fire_timers() {
    std::array<std::vector<Job>, 3> due;
    Duration nap = kWatchAtLeastEvery;
    {
        std::lock_guard lock(timers_mutex_);
        const auto now = clock_.now();
        while (auto timer = timers_.take_due(now))
            due[static_cast<std::size_t>(timer->lane)].push_back(std::move(timer->job));
        if (const auto next = timers_.next()) nap = std::min(nap, *next - now);
        next_watch_ = now + nap;
    }
    for (const auto lane : {Lane::Loop, Lane::Commit, Lane::Pool})
        post_all(lane, std::move(due[static_cast<std::size_t>(lane)]));
    return nap;
}

void ThreadExecutor::stop() {
    std::lock_guard lock(stop_mutex_);
    workers_.begin_stop();
    commits_.begin_stop();
    // First, because it is the watch that starts threads.
    stop_watch();
    workers_.stop();
    commits_.stop();
    stop_io();
}

void ThreadExecutor::stop_watch() {
    clock_moves_.cancel();
    TimerHeap dropped;
    {
        std::lock_guard lock(timers_mutex_);
        stopping_ = true;
        std::swap(dropped, timers_);
    }
    watch_parker_.unpark();
    if (watch_thread_.joinable()) watch_thread_.join();
}

// Last: a job that is under way may be waiting for it.
void ThreadExecutor::stop_io() {
    std::unique_ptr<Io> io;
    {
        std::lock_guard lock(io_mutex_);
        io_stopped_ = true;
        io = std::move(io_);
    }
    if (!io) return;
    io->context.stop();
    for (auto& thread : io->threads) thread.join();
}

}  // namespace belay::env
