// pace.hpp — how slow a peer may be: in every span of waiting for it, so many bytes move.
//
// An average would let one who was quick at first stand still for hours on what he has earned. Only time spent waiting
// for the peer counts: a slow disk of ours is nobody's fault.
#pragma once

#include <algorithm>
#include <cstdint>

#include <belay/time.hpp>

namespace belay::server {

class Pace {
public:
    Pace(Duration span, std::uint64_t bytes_per_second)
        : span_(span), bytes_least_(std::max<std::uint64_t>(
                           1, bytes_per_second * static_cast<std::uint64_t>(span.count()) / 1000)) {
    }

    // How much longer the peer may be waited for.
    Duration left() const { return std::max(Duration{0}, span_ - waited_); }

    void waited(Duration time) { waited_ += std::max(Duration{0}, time); }

    void moved(std::uint64_t bytes) {
        bytes_ += bytes;
        if (bytes_ < bytes_least_) return;
        bytes_ = 0;
        waited_ = Duration{0};
    }

private:
    Duration span_;
    std::uint64_t bytes_least_;
    Duration waited_{};
    std::uint64_t bytes_ = 0;
};

}  // namespace belay::server
