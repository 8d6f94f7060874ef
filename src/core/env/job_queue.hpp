// job_queue.hpp — jobs first in, first out, in one block of memory.
//
// Not std::deque: that allocates and frees a block for every few jobs, under the lock that every
// thread wants.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/env/executor.hpp"

namespace belay::env {

// One great burst must not keep its memory for ever: what has held more jobs than this is freed when
// it is empty.
inline constexpr std::size_t kJobsKept = 1 << 16;

inline void clear_jobs(std::vector<Job>& jobs) {
    jobs.clear();
    if (jobs.capacity() > kJobsKept) jobs.shrink_to_fit();
}

class JobQueue {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    void push(Job job) {
        if (size_ == ring_.size()) grow();
        ring_[(first_ + size_) & (ring_.size() - 1)] = std::move(job);
        ++size_;
    }

    Job pop() {
        Job job = std::move(ring_[first_]);
        first_ = (first_ + 1) & (ring_.size() - 1);
        --size_;
        if (size_ == 0 && ring_.size() > kJobsKept) *this = JobQueue();
        return job;
    }

private:
    void grow() {
        std::vector<Job> larger(ring_.empty() ? 64 : ring_.size() * 2);
        for (std::size_t i = 0; i < size_; ++i)
            larger[i] = std::move(ring_[(first_ + i) & (ring_.size() - 1)]);
        ring_ = std::move(larger);
        first_ = 0;
    }

    std::vector<Job> ring_;  // its size is 0 or a power of two
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace belay::env
