// serial_thread.hpp — one thread that runs jobs one after another: the Commit lane.
//
// A commit is usually followed by the next one at once, so the thread spins for a moment before it
// sleeps; posting to it then needs no system call.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/env/executor.hpp"
#include "core/env/parker.hpp"
#include "core/env/spin_mutex.hpp"

namespace belay::env {

class SerialThread {
public:
    explicit SerialThread(const std::string& name);
    ~SerialThread() { stop(); }

    // As Executor's.
    void post(Job job);
    void post_all(std::vector<Job> jobs);
    void stop();

    // The first half of stop(): from now on no new job runs. Waits for nothing.
    void begin_stop();

private:
    void work();
    bool take_batch();

    SpinMutex mutex_;
    std::vector<Job> queue_;  // under mutex_
    std::atomic<bool> stopping_{false};

    std::vector<Job> batch_;  // the thread's own; after it ended, what it did not run
    Parker parker_;
    std::thread thread_;
};

}  // namespace belay::env
