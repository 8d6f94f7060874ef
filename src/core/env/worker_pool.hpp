// worker_pool.hpp — the threads that run the Loop and Pool lanes.
//
// Handing a job to another thread costs 30 µs, and a trivial job takes one; but a job may also block
// for minutes. So:
// - The Loop is a role, not a thread. Whoever holds it runs all Loop jobs there are, gives it back, and
//   goes on with the Pool jobs that they posted: no hand-over.
// - Posting wakes a thread only if no awake one is about to look. One that is inside a job that began a
//   moment ago counts as about to look: it was nearly always right, and look() catches the rest.
// - A thread whose last job was long wakes one more if jobs are left.
// - look(), called every millisecond by the owner's thread, finds jobs that nobody takes because every
//   awake thread is blocked, and wakes threads: one, then two, four, … while it stays so.
// - At most `pool_max` threads are inside Pool jobs; there is one more, so Loop jobs always find one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/env/clock.hpp"
#include "core/env/executor.hpp"
#include "core/env/job_queue.hpp"
#include "core/env/parker.hpp"
#include "core/env/spin_mutex.hpp"

namespace belay::env {

class WorkerPool {
public:
    // `call_look` must make the owner's thread call look() soon; it is called on any thread.
    WorkerPool(int pool_max, std::function<void()> call_look);

    // Changes the limit: threads that are stuck for good are lent to those who left them behind.
    void lend(int change) { pool_max_ += change; }
    ~WorkerPool() { stop(); }

    // As Executor's; `lane` is Loop or Pool.
    void post(Lane lane, Job job);
    void post_all(Lane lane, std::vector<Job> jobs);
    PoolStats stats(const Clock& clock) const;

    // Starts and wakes threads where that is needed. Returns how soon it wants to be called again, or
    // nothing if it can wait for `call_look`. Always from the same thread.
    std::optional<std::chrono::nanoseconds> look();

    // The first half of stop(): from now on no new job runs. Waits for nothing.
    void begin_stop();

    // As Executor's. look() must not be called any more.
    void stop();

private:
    using Steady = std::chrono::steady_clock;
    using Lock = std::unique_lock<SpinMutex>;

    struct Worker {
        std::thread thread;
        Parker parker;
        Steady::time_point now;                        // read once between two jobs
        Steady::duration last_took{};                  // its last Pool job
        std::optional<Steady::time_point> busy_since;  // inside a Pool job; under mutex_
        bool ended = false;                            // its place can be used again; under mutex_
    };

    // What a poster does after it released the lock.
    struct Alarm {
        Worker* wake = nullptr;
        bool call_look = false;
    };

    bool loop_waits() const { return !loop_.empty() && !loop_held_; }
    bool pool_waits() const { return !pool_.empty() && busy_ < pool_max_; }
    int searching() const;
    bool someone_will_look(Lane lane) const;
    Alarm raise_alarm(Lane lane);
    Worker* wake_one();
    void sound(Alarm alarm);

    void work(Worker& me);
    void run_loop_jobs(Lock& lock, Worker& me);
    void run_pool_job(Lock& lock, Worker& me);
    bool rest(Lock& lock, Worker& me);
    bool wait_for_wake(Worker& me);

    std::optional<std::chrono::nanoseconds> judge(std::vector<Worker*>& woken);
    int threads_to_wake();
    void start_worker();

    std::atomic<int> pool_max_;
    const std::function<void()> call_look_;
    std::atomic<bool> someone_spins_{false};
    std::atomic<bool> stopping_{false};  // written under mutex_

    mutable SpinMutex mutex_;  // all that follows, unless said otherwise
    std::vector<Job> loop_;
    bool loop_held_ = false;
    JobQueue pool_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*>
        idle_;                // the one that went to rest last is woken first: its caches are warm
    int alive_ = 0;           // started and not ended: resting, searching, or running a job
    int wanted_ = 0;          // threads that look() is asked to start
    int busy_ = 0;            // inside Pool jobs
    std::int64_t taken_ = 0;  // Pool jobs so far
    Steady::time_point last_taken_{};
    bool watched_ = false;  // look() is called regularly

    std::vector<Job> loop_batch_;  // belongs to the holder of the Loop role

    // What look() remembers of its last call.
    bool jobs_waited_ = false;
    std::int64_t taken_before_ = 0;
    int stalls_in_a_row_ = 0;
    int woken_by_look_ = 0;
    int quiet_looks_ = 0;
};

}  // namespace belay::env
