#include "core/env/run_job.hpp"

#include <exception>
#include <utility>

#include "core/base/assert.hpp"

namespace belay::env {

void run_job(Job& job) noexcept {
    try {
        Job running = std::move(job);
        running();
    } catch (const std::exception& e) {
        BELAY_ASSERT(false, "an exception left a job: {}", e.what());
    } catch (...) {
        BELAY_ASSERT(false, "an exception of an unknown type left a job");
    }
}

}  // namespace belay::env
