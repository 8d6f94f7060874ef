// wake.hpp — a stop request as something that poll() can wait for.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "ingestion/isolate/fd.hpp"

namespace belay::isolate {

// Its descriptor is readable from the moment that a stop is requested.
class Wake {
public:
    explicit Wake(const std::stop_token& stop);

    // -1, which poll() passes over, if nobody can request a stop.
    int fd() const { return event_.get(); }

private:
    Fd event_;
    std::stop_callback<std::function<void()>> callback_;
};

enum class Waited { Readable, Stopped, TimedOut };

// Waits until `fd` has something to read. Throws std::system_error.
Waited wait_readable_or(int fd, const Wake& stop, std::chrono::milliseconds time);

}  // namespace belay::isolate
