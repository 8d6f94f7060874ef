#include "core/env/pause.hpp"

#include <condition_variable>
#include <mutex>

namespace belay::env {

void SystemPause::wait(Duration duration, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock{mutex};
    changed.wait_for(lock, stop, duration, [] { return false; });
}

}  // namespace belay::env
