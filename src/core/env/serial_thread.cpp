#include "core/env/serial_thread.hpp"

#include <iterator>
#include <mutex>
#include <utility>

#include "core/base/assert.hpp"
#include "core/env/job_queue.hpp"
#include "core/env/run_job.hpp"
#include "core/env/thread.hpp"

namespace belay::env {

using namespace std::chrono_literals;

namespace {

// Longer than one hand-over between threads (32 µs measured), which is what lies between two commits
// of a single run.
constexpr auto kSpin = 60us;
constexpr auto kSleep = 1h;

}  // namespace

SerialThread::SerialThread(const std::string& name)
    : thread_(start_thread(name, [this] { work(); })) {}

void SerialThread::post(Job job) {
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return;  // `job` is destroyed after the lock is released
        queue_.push_back(std::move(job));
    }
    parker_.unpark();
}

void SerialThread::post_all(std::vector<Job> jobs) {
    if (jobs.empty()) return;
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return;
        queue_.insert(queue_.end(), std::make_move_iterator(jobs.begin()),
                      std::make_move_iterator(jobs.end()));
    }
    parker_.unpark();
}

void SerialThread::begin_stop() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    parker_.unpark();
}

void SerialThread::stop() {
    BELAY_ASSERT(thread_.get_id() != std::this_thread::get_id(), "stop() was called inside a job");
    begin_stop();
    if (thread_.joinable()) thread_.join();
    batch_.clear();
    // Destroyed without the lock: a job's destructor may try to post.
    std::vector<Job> dropped;
    std::lock_guard lock(mutex_);
    dropped.swap(queue_);
}

void SerialThread::work() {
    while (!stopping_) {
        if (!take_batch()) {
            if (!parker_.spin_for(kSpin)) parker_.park_for(kSleep);
            continue;
        }
        for (auto& job : batch_) {
            if (stopping_) return;
            run_job(job);
        }
        clear_jobs(batch_);
    }
}

bool SerialThread::take_batch() {
    std::lock_guard lock(mutex_);
    batch_.swap(queue_);
    return !batch_.empty();
}

}  // namespace belay::env
