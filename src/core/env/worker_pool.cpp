#include "core/env/worker_pool.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/assert.hpp"
#include "core/env/run_job.hpp"
#include "core/env/thread.hpp"

namespace belay::env {

using namespace std::chrono_literals;

namespace {

constexpr auto kLongJob = 100us;     // three times what it costs to involve another thread
constexpr auto kSpin = 40us;         // before a thread rests; see Parker
constexpr auto kEndAfterIdle = 30s;  // a thread that rested so long ends
constexpr auto kLookEvery = 1ms;     // while there is work
constexpr auto kLookAgain = 300us;   // when jobs wait, and it is not clear yet that they are stuck
constexpr auto kLookAfterWake = 200us;  // time for a woken thread to take a job
constexpr int kQuietLooks = 3;          // then look() waits to be called

// Which pool's Pool job the calling thread is inside of, if any.
thread_local const WorkerPool* inside_pool_job_of = nullptr;
// Which pool the calling thread belongs to, if any.
thread_local const WorkerPool* worker_of = nullptr;

}  // namespace

WorkerPool::WorkerPool(int pool_max, std::function<void()> call_look)
    : pool_max_(pool_max), call_look_(std::move(call_look)) {
    BELAY_ASSERT(pool_max_ > 0, "a pool needs at least one thread");
    alive_ = 1;
    start_worker();
}

void WorkerPool::post(Lane lane, Job job) {
    Alarm alarm;
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return;  // `job` is destroyed after the lock is released
        if (lane == Lane::Loop)
            loop_.push_back(std::move(job));
        else
            pool_.push(std::move(job));
        alarm = raise_alarm(lane);
    }
    sound(alarm);
}

void WorkerPool::post_all(Lane lane, std::vector<Job> jobs) {
    if (jobs.empty()) return;
    Alarm alarm;
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return;
        if (lane == Lane::Loop)
            std::move(jobs.begin(), jobs.end(), std::back_inserter(loop_));
        else
            for (auto& job : jobs) pool_.push(std::move(job));
        alarm = raise_alarm(lane);
    }
    sound(alarm);
}

// Awake, not inside a job, and so sure to look at the queues before it rests; or about to be started.
int WorkerPool::searching() const {
    return alive_ - static_cast<int>(idle_.size()) - busy_ - (loop_held_ ? 1 : 0) + wanted_;
}

bool WorkerPool::someone_will_look(Lane lane) const {
    if (loop_held_ || searching() > 0) return true;
    if (busy_ == 0) return false;
    if (lane == Lane::Pool && busy_ == pool_max_) return true;
    // A Pool job posts its result as the last thing it does, as a rule.
    if (inside_pool_job_of == this) return true;
    return Steady::now() - last_taken_ < kLongJob;
}

WorkerPool::Alarm WorkerPool::raise_alarm(Lane lane) {
    Alarm alarm;
    if (!someone_will_look(lane)) alarm.wake = wake_one();
    alarm.call_look = !watched_ || wanted_ > 0;
    watched_ = true;
    return alarm;
}

// A resting thread, to be unparked after the lock is released. If there is none, look() starts one:
// posting must not take as long as that.
WorkerPool::Worker* WorkerPool::wake_one() {
    if (!idle_.empty()) {
        auto* const worker = idle_.back();
        idle_.pop_back();
        return worker;
    }
    if (alive_ + wanted_ < pool_max_ + 1) ++wanted_;
    return nullptr;
}

void WorkerPool::sound(Alarm alarm) {
    if (alarm.wake) alarm.wake->parker.unpark();
    if (alarm.call_look) call_look_();
}

PoolStats WorkerPool::stats(const Clock& clock) const {
    const auto now = clock.now();
    const auto steady_now = Steady::now();
    PoolStats stats;
    std::lock_guard lock(mutex_);
    stats.threads = alive_;
    stats.busy = busy_;
    stats.queued = static_cast<int>(pool_.size());
    for (const auto& worker : workers_) {
        if (!worker->busy_since) continue;
        const auto for_so_long = std::max(steady_now - *worker->busy_since, Steady::duration{});
        stats.busy_since.push_back(now - std::chrono::floor<Duration>(for_so_long));
    }
    std::sort(stats.busy_since.begin(), stats.busy_since.end());
    return stats;
}

void WorkerPool::begin_stop() {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& worker : workers_) worker->parker.unpark();
}

void WorkerPool::stop() {
    BELAY_ASSERT(worker_of != this, "stop() was called inside a job");
    begin_stop();
    for (const auto& worker : workers_)
        if (worker->thread.joinable()) worker->thread.join();
    loop_batch_.clear();
    // Destroyed without the lock: a job's destructor may try to post.
    std::vector<Job> dropped_loop;
    JobQueue dropped_pool;
    std::lock_guard lock(mutex_);
    std::swap(dropped_loop, loop_);
    std::swap(dropped_pool, pool_);
}

void WorkerPool::work(Worker& me) {
    worker_of = this;
    me.now = Steady::now();
    Lock lock(mutex_);
    while (!stopping_) {
        if (loop_waits()) {
            run_loop_jobs(lock, me);
        } else if (pool_waits()) {
            run_pool_job(lock, me);
        } else if (!rest(lock, me)) {
            return;
        }
    }
}

void WorkerPool::run_loop_jobs(Lock& lock, Worker& me) {
    loop_held_ = true;
    loop_batch_.swap(loop_);
    lock.unlock();

    for (auto& job : loop_batch_) {
        if (stopping_.load(std::memory_order_relaxed)) break;
        run_job(job);
    }
    // On a stop the rest stays where it is, for the thread that stops to destroy.
    if (!stopping_.load(std::memory_order_relaxed)) clear_jobs(loop_batch_);
    me.now = Steady::now();
    me.last_took = {};

    lock.lock();
    loop_held_ = false;
}

void WorkerPool::run_pool_job(Lock& lock, Worker& me) {
    Job job = pool_.pop();
    ++taken_;
    ++busy_;
    last_taken_ = me.now;
    me.busy_since = me.now;
    Worker* const helper = me.last_took > kLongJob && pool_waits() ? wake_one() : nullptr;
    const bool call_look = wanted_ > 0;
    lock.unlock();

    sound({helper, call_look});
    inside_pool_job_of = this;
    run_job(job);
    inside_pool_job_of = nullptr;
    const auto began = std::exchange(me.now, Steady::now());
    me.last_took = me.now - began;

    lock.lock();
    --busy_;
    me.busy_since.reset();
}

// Returns when there may be work again; false if this thread has to end.
bool WorkerPool::rest(Lock& lock, Worker& me) {
    idle_.push_back(&me);
    lock.unlock();

    const bool woken = wait_for_wake(me);
    me.now = Steady::now();
    me.last_took = {};

    lock.lock();
    const auto place = std::find(idle_.begin(), idle_.end(), &me);
    // Whoever took it out of the list is about to unpark it, or has done so: there is work.
    if (place == idle_.end()) return true;
    idle_.erase(place);
    if (woken || alive_ == 1) return true;
    --alive_;
    me.ended = true;
    return false;
}

bool WorkerPool::wait_for_wake(Worker& me) {
    // A second spinning thread would only take a core from those that work.
    if (!someone_spins_.exchange(true)) {
        const bool woken = me.parker.spin_for(kSpin);
        someone_spins_ = false;
        if (woken) return true;
    }
    return me.parker.park_for(kEndAfterIdle);
}

std::optional<std::chrono::nanoseconds> WorkerPool::look() {
    std::vector<Worker*> woken;
    Lock lock(mutex_);
    const auto next = judge(woken);
    const int starts = std::exchange(wanted_, 0);
    alive_ += starts;
    lock.unlock();

    for (auto* const worker : woken) worker->parker.unpark();
    for (int n = 0; n < starts; ++n) start_worker();
    return next;
}

std::optional<std::chrono::nanoseconds> WorkerPool::judge(std::vector<Worker*>& woken) {
    const bool jobs_wait = loop_waits() || pool_waits();
    // Those already on their way may be all that is needed.
    if (jobs_wait && searching() > 0) return kLookAfterWake;

    const bool jobs_waited = std::exchange(jobs_waited_, jobs_wait);
    // A first job of each thread that was woken here says nothing about the others being free.
    const auto taken = taken_ - std::exchange(taken_before_, taken_);
    const bool moves =
        taken > std::exchange(woken_by_look_, 0) && Steady::now() - last_taken_ < kLookAgain;

    if (!jobs_wait) {
        stalls_in_a_row_ = 0;
        quiet_looks_ = taken > 0 ? 0 : quiet_looks_ + 1;
        if (quiet_looks_ < kQuietLooks) return kLookEvery;
        quiet_looks_ = 0;
        watched_ = false;
        return std::nullopt;
    }
    quiet_looks_ = 0;
    if (moves) {
        stalls_in_a_row_ = 0;
        return kLookEvery;
    }
    // They may have been posted just now.
    if (!jobs_waited) return kLookAgain;

    woken_by_look_ = threads_to_wake();
    for (int n = 0; n < woken_by_look_; ++n)
        if (auto* const worker = wake_one()) woken.push_back(worker);
    return kLookAfterWake;
}

// Twice as many each time that the jobs are still stuck.
int WorkerPool::threads_to_wake() {
    const auto free = static_cast<std::size_t>(pool_max_ - busy_);
    const auto jobs = (loop_waits() ? 1 : 0) + static_cast<int>(std::min(pool_.size(), free));
    const int doubled = 1 << std::min(stalls_in_a_row_++, 10);
    return std::min(jobs, doubled);
}

// The place of a thread that ended is used again. If the system allows no more threads, the jobs wait
// for those there are, and look() tries again.
void WorkerPool::start_worker() {
    Worker* place = nullptr;
    {
        std::lock_guard lock(mutex_);
        auto ended = std::find_if(workers_.begin(), workers_.end(),
                                  [](const auto& worker) { return worker->ended; });
        if (ended == workers_.end())
            ended = workers_.insert(workers_.end(), std::make_unique<Worker>());
        place = ended->get();
        place->ended = false;
    }
    if (place->thread.joinable()) place->thread.join();
    try {
        place->thread = start_thread("belay-pool", [this, place] { work(*place); });
    } catch (const std::system_error&) {
        std::lock_guard lock(mutex_);
        place->ended = true;
        --alive_;
        if (alive_ == 0) throw;
    }
}

}  // namespace belay::env
