// threads.hpp — the executor of a real program.
//
// Loop and Pool share the threads of a WorkerPool, Commit has a SerialThread, asynchronous steps have
// the I/O threads. One more thread, the watch, fires the timers and notices when the pool is stuck;
// it sleeps while there is nothing to watch. Why threads are woken as they are: worker_pool.hpp.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/env/clock.hpp"
#include "core/env/executor.hpp"
#include "core/env/parker.hpp"
#include "core/env/serial_thread.hpp"
#include "core/env/spin_mutex.hpp"
#include "core/env/timer_heap.hpp"
#include "core/env/worker_pool.hpp"

namespace belay::env {

struct ThreadLimits {
    int pool_max = 32;   // Pool jobs at the same time; their threads start when needed
    int io_threads = 1;  // start at the first call of io()
};

class ThreadExecutor final : public Executor {
public:
    // `clock` must outlive it. Throws std::system_error if the system allows no more threads.
    explicit ThreadExecutor(const Clock& clock, ThreadLimits limits = {});
    ~ThreadExecutor() override;

    void post(Lane lane, Job job) override;
    void post_all(Lane lane, std::vector<Job> jobs) override;
    void post_at(Time when, Lane lane, Job job) override;
    boost::asio::io_context& io() override;
    bool threaded() const override { return true; }
    bool run_one() override { return false; }
    void stop() override;
    PoolStats pool() const override;
    void lend_pool_threads(int change) override { workers_.lend(change); }

private:
    struct Io;

    void watch();
    Duration fire_timers();
    void stop_watch();
    void stop_io();

    const Clock& clock_;
    const ThreadLimits limits_;
    std::atomic<bool> stopping_{false};
    std::mutex stop_mutex_;  // a second stop() waits for the first

    SpinMutex timers_mutex_;
    TimerHeap timers_;   // under timers_mutex_
    Time next_watch_{};  // when the watch looks at them next, at the latest; under timers_mutex_

    std::mutex io_mutex_;
    std::unique_ptr<Io> io_;   // under io_mutex_
    bool io_stopped_ = false;  // under io_mutex_

    Parker watch_parker_;
    WorkerPool workers_;
    SerialThread commits_;
    std::thread watch_thread_;
    Subscription clock_moves_;
};

}  // namespace belay::env
