// executor.hpp — who runs next.
//
// The engine never starts a thread and never blocks one: it posts jobs to a lane. ThreadExecutor
// (threads.hpp) runs them on threads, Simulation (simulation.hpp) one after another in an order drawn
// from a seed.
#pragma once

#include <vector>

#include <belay/time.hpp>

#include "core/base/unique_function.hpp"

namespace boost::asio {
class io_context;
}

namespace belay::env {

// A job must not throw: an exception that leaves one is a bug of ours and ends the process.
using Job = base::UniqueFunction<void()>;

enum class Lane {
    Loop,  // one at a time, in the order posted: the engine's own state lives here, without a lock
    Commit,  // one at a time, in the order posted; may run at the same time as a Loop job
    Pool,    // in parallel, in no promised order; may block for minutes
};

// What the pool is doing, for the report of who blocks it.
struct PoolStats {
    int threads = 0;               // alive: running a job or waiting for one
    int busy = 0;                  // inside a Pool job
    int queued = 0;                // Pool jobs that no thread has taken yet
    std::vector<Time> busy_since;  // one for each busy thread, longest first
};

// All functions may be called from any thread, and from inside a job, unless said otherwise.
class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    // Runs `job` later on its lane; never inside this call. After stop() the job is destroyed instead.
    // What a poster did before is visible to the job.
    virtual void post(Lane lane, Job job) = 0;

    // The same for many jobs, in their order, with one lock and one wake-up.
    virtual void post_all(Lane lane, std::vector<Job> jobs) = 0;

    // Posts `job` when the Clock shows `when` or later. Cannot be cancelled: a job that is no longer
    // wanted must notice that itself.
    virtual void post_at(Time when, Lane lane, Job job) = 0;

    // Where async steps run. Its threads start at the first call; its handlers must not be used after
    // stop(), which destroys it.
    virtual boost::asio::io_context& io() = 0;

    // False: there are no threads, and whoever waits must drive the jobs with run_one() meanwhile.
    virtual bool threaded() const = 0;

    // Simulation: runs one job, and returns false if nothing can ever run. Threaded: always false.
    virtual bool run_one() = 0;

    // Runs no new job and returns when those under way have ended, however long that takes. The jobs
    // dropped are destroyed on the calling thread. Not from inside a job of a threaded executor. A second
    // call does nothing.
    virtual void stop() = 0;

    virtual PoolStats pool() const = 0;

    // Allows that many Pool jobs more (or fewer) at the same time: a job that will never end must not cost
    // the others their thread.
    virtual void lend_pool_threads(int change) = 0;
};

}  // namespace belay::env
