// run_job.hpp — runs a job, and ends the process with its message if an exception leaves it.
#pragma once

#include "core/env/executor.hpp"

namespace belay::env {

// `job` is empty afterwards: what it holds is released here and not at the next job.
void run_job(Job& job) noexcept;

}  // namespace belay::env
