// gate.hpp — lets a bounded number of callers in, in the order they came.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace belay::isolate {

class Gate {
public:
    explicit Gate(int places) : free_(places) {}

    // A place, until destroyed. The gate must outlive it.
    class Place {
    public:
        explicit Place(Gate& gate) : gate_(&gate) {}
        Place(Place&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
        Place& operator=(Place&&) = delete;
        ~Place() {
            if (gate_) gate_->leave();
        }

    private:
        Gate* gate_;
    };

    // Waits for a place; none if a stop was requested first.
    std::optional<Place> enter(const std::stop_token& stop);

    int inside() const;
    int waiting() const;

private:
    void leave();

    struct Waiter {
        std::condition_variable_any admitted_changed;
        bool admitted = false;
    };

    mutable std::mutex mutex_;
    int free_;
    int inside_ = 0;
    std::list<Waiter> queue_;
};

}  // namespace belay::isolate
