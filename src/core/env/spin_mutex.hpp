// spin_mutex.hpp — a mutex for sections of a few dozen instructions.
//
// std::mutex puts a thread to sleep at the first sign of contention, which costs a thousand times what
// the section does. This one tries for a moment first; a holder that lost its core is still waited
// for asleep.
#pragma once

#include <immintrin.h>

#include <mutex>

namespace belay::env {

class SpinMutex {
public:
    void lock() {
        for (int i = 0; i < 100; ++i) {
            if (mutex_.try_lock()) return;
            _mm_pause();
        }
        mutex_.lock();
    }

    void unlock() { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

}  // namespace belay::env
