// simulation.hpp — many workers in one thread, in an order drawn from a seed.
//
// Each executor stands for one process. At every step the simulation draws one lane that has something
// to run, over all its executors; when none has, it moves the clock to the next timer, so days
// pass in no time. The same seed gives the same order; other seeds give the orders that threads would
// have produced one day. Not thread-safe: all happens on the thread that made the Simulation.
//
// io() is polled as one more lane. Real sockets and Asio's own timers are outside the simulation: they work,
// and are not repeatable.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/env/clock.hpp"
#include "core/env/executor.hpp"
#include "core/env/job_queue.hpp"
#include "core/env/random.hpp"
#include "core/env/timer_heap.hpp"

namespace belay::env {

class Simulation;

// Must not be destroyed inside one of its own jobs.
class SimulatedExecutor final : public Executor {
public:
    ~SimulatedExecutor() override;

    void post(Lane lane, Job job) override;
    void post_all(Lane lane, std::vector<Job> jobs) override;
    void post_at(Time when, Lane lane, Job job) override;
    boost::asio::io_context& io() override;
    bool threaded() const override { return false; }

    // Drives the whole simulation: what this executor waits for may happen on another. May be called
    // inside a Pool job, as a thread might block there.
    bool run_one() override;

    // From now on nothing of it runs: a process that crashed. Its jobs are destroyed; the one under way,
    // if this is called inside it, goes on to its end.
    void stop() override;
    void kill() { stop(); }

    PoolStats pool() const override;
    void lend_pool_threads(int) override {}  // jobs run one after another: none waits for a thread

    // A process that was suspended: time goes on without it. Its jobs wait, and timers that became due
    // run after thaw().
    void freeze() { frozen_ = true; }
    void thaw() { frozen_ = false; }

private:
    friend class Simulation;
    struct Io;

    // What a draw can choose.
    enum class Choice { Loop, Commit, Pool, Timer, Io };

    explicit SimulatedExecutor(Simulation& simulation);

    void collect_due(Time now);
    void list_choices(std::vector<std::pair<SimulatedExecutor*, Choice>>& choices);
    bool run(Choice choice, Random& random);
    bool run_serial(JobQueue& queue, bool& running);
    bool run_any(Random& random);
    void fire_any(Random& random);
    bool poll_io();
    bool wait_for_io(Duration limit);
    template <class RunOne>
    bool run_io(RunOne run_one_of);
    bool io_outstanding() const;

    Simulation& simulation_;
    bool frozen_ = false;
    bool stopped_ = false;
    JobQueue loop_;
    JobQueue commits_;
    bool loop_running_ = false;    // a Loop job is under way, and drives the simulation from within
    bool commit_running_ = false;  // the same for Commit
    int pool_running_ = 0;
    std::vector<Job> pool_;
    TimerHeap timers_;
    std::vector<TimedJob> due_;  // timers whose time has come and that have not been posted yet
    std::unique_ptr<Io> io_;
};

class Simulation {
public:
    explicit Simulation(std::uint64_t seed);
    ~Simulation();

    // One more process. Must be destroyed before the simulation.
    std::unique_ptr<SimulatedExecutor> make_executor();

    ManualClock& clock() { return clock_; }

    // For the code under test. The order of jobs is drawn from another sequence, so that asking for one
    // more number does not change it.
    SeededRandom& random() { return random_; }

    std::uint64_t seed() const { return seed_; }

    // Runs one job, or fires one handler of an io(). Returns false if nothing is left that could run
    // without a thaw or a further post; an io() that has work outstanding and stays silent for a second
    // of real time counts as nothing.
    bool run_one();

private:
    friend class SimulatedExecutor;

    bool run_something_ready();
    bool wait_for_io(Duration limit);
    bool advance_to_next_timer();
    void check_thread() const;

    const std::uint64_t seed_;
    const std::thread::id thread_ = std::this_thread::get_id();
    ManualClock clock_;
    SeededRandom random_;
    SeededRandom order_;
    std::vector<SimulatedExecutor*> executors_;  // in the order made
};

}  // namespace belay::env
