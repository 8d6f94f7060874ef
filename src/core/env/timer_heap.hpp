// timer_heap.hpp — jobs by the time they are due. Not thread-safe: its owner has the lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/env/executor.hpp"

namespace belay::env {

struct TimedJob {
    Time when;
    std::uint64_t number;  // in the order added: equal times stay in order
    Lane lane;
    Job job;
};

class TimerHeap {
public:
    bool empty() const { return heap_.empty(); }

    // The time of the first one, if there is one.
    std::optional<Time> next() const {
        return heap_.empty() ? std::nullopt : std::optional(heap_.front().when);
    }

    void add(Time when, Lane lane, Job job) {
        heap_.push_back({when, ++added_, lane, std::move(job)});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }

    // Removes and returns the first one if it is due.
    std::optional<TimedJob> take_due(Time now) {
        if (heap_.empty() || heap_.front().when > now) return std::nullopt;
        std::pop_heap(heap_.begin(), heap_.end(), later);
        auto due = std::move(heap_.back());
        heap_.pop_back();
        return due;
    }

private:
    static bool later(const TimedJob& a, const TimedJob& b) {
        return std::pair(a.when, a.number) > std::pair(b.when, b.number);
    }

    std::vector<TimedJob> heap_;
    std::uint64_t added_ = 0;
};

}  // namespace belay::env
