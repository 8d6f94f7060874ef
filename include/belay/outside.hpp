// outside.hpp — a step that waits for somebody else says so.
//
// A run whose code was executing when its process died is charged with that death (docs/deaths.md). One that only
// waited then, for a helper process, an answer over HTTP or a turn in a queue, did not kill it:
//     const belay::Outside waiting;
//     const int answer = wait_for(the_helper);
#pragma once

#include <cstdint>

namespace belay {

// While it lives, the calling thread executes nobody's code. Costs some nanoseconds; outside a step it does nothing.
// It ends on the thread that made it, and the last made ends first.
class Outside {
public:
    Outside() noexcept;
    ~Outside();
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    void* slot_;
    std::int64_t run_ = 0;
};

}  // namespace belay
