#include "core/env/simulation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "core/base/assert.hpp"
#include "core/env/run_job.hpp"

namespace belay::env {

using namespace std::chrono_literals;

namespace {

// How long real I/O may take before the simulation goes on to the next timer without it. Virtual time
// costs nothing, so a timeout must not win only because it was cheaper to reach.
constexpr Duration kIoFirst = 50ms;
constexpr Duration kIoAtAll = 1s;

// Any distinct sequence will do.
constexpr std::uint64_t kOrderSeed = 0x6f72646572;

}  // namespace

struct SimulatedExecutor::Io {
    boost::asio::io_context context{1};
    bool running = false;
};

SimulatedExecutor::SimulatedExecutor(Simulation& simulation) : simulation_(simulation) {
    simulation_.executors_.push_back(this);
}

SimulatedExecutor::~SimulatedExecutor() {
    stop();
    std::erase(simulation_.executors_, this);
}

void SimulatedExecutor::post(Lane lane, Job job) {
    simulation_.check_thread();
    if (stopped_) return;
    switch (lane) {
        case Lane::Loop:
            return loop_.push(std::move(job));
        case Lane::Commit:
            return commits_.push(std::move(job));
        case Lane::Pool:
            pool_.push_back(std::move(job));
    }
}

void SimulatedExecutor::post_all(Lane lane, std::vector<Job> jobs) {
    for (auto& job : jobs) post(lane, std::move(job));
}

void SimulatedExecutor::post_at(Time when, Lane lane, Job job) {
    simulation_.check_thread();
    if (!stopped_) timers_.add(when, lane, std::move(job));
}

boost::asio::io_context& SimulatedExecutor::io() {
    simulation_.check_thread();
    BELAY_ASSERT(!stopped_, "io() was asked for after stop()");
    if (!io_) io_ = std::make_unique<Io>();
    return io_->context;
}

bool SimulatedExecutor::run_one() { return simulation_.run_one(); }

void SimulatedExecutor::stop() {
    stopped_ = true;
    // Taken out first: a job's destructor may post, or stop again.
    const auto loop = std::exchange(loop_, {});
    const auto commits = std::exchange(commits_, {});
    const auto pool = std::exchange(pool_, {});
    const auto timers = std::exchange(timers_, {});
    const auto due = std::exchange(due_, {});
    // A handler that stops its own executor is still on the io_context's stack.
    if (io_ && io_->running) return io_->context.stop();
    const auto io = std::move(io_);
}

PoolStats SimulatedExecutor::pool() const {
    PoolStats stats;
    stats.threads = stats.busy = pool_running_;
    stats.queued = static_cast<int>(pool_.size());
    stats.busy_since.assign(static_cast<std::size_t>(pool_running_), simulation_.clock_.now());
    return stats;
}

void SimulatedExecutor::collect_due(Time now) {
    while (auto timer = timers_.take_due(now)) due_.push_back(std::move(*timer));
}

void SimulatedExecutor::list_choices(std::vector<std::pair<SimulatedExecutor*, Choice>>& choices) {
    if (frozen_ || stopped_) return;
    if (!loop_.empty() && !loop_running_) choices.emplace_back(this, Choice::Loop);
    if (!commits_.empty() && !commit_running_) choices.emplace_back(this, Choice::Commit);
    if (!pool_.empty()) choices.emplace_back(this, Choice::Pool);
    if (!due_.empty()) choices.emplace_back(this, Choice::Timer);
    if (io_) choices.emplace_back(this, Choice::Io);
}

// Returns whether a job ran.
bool SimulatedExecutor::run(Choice choice, Random& random) {
    switch (choice) {
        case Choice::Loop:
            return run_serial(loop_, loop_running_);
        case Choice::Commit:
            return run_serial(commits_, commit_running_);
        case Choice::Pool:
            return run_any(random);
        case Choice::Timer:
            fire_any(random);
            return false;
        case Choice::Io:
            return poll_io();
    }
    return false;
}

bool SimulatedExecutor::run_serial(JobQueue& queue, bool& running) {
    Job job = queue.pop();
    running = true;
    run_job(job);
    running = false;
    return true;
}

bool SimulatedExecutor::run_any(Random& random) {
    std::swap(pool_[random.below(pool_.size())], pool_.back());
    Job job = std::move(pool_.back());
    pool_.pop_back();
    ++pool_running_;
    run_job(job);
    --pool_running_;
    return true;
}

void SimulatedExecutor::fire_any(Random& random) {
    std::swap(due_[random.below(due_.size())], due_.back());
    TimedJob timer = std::move(due_.back());
    due_.pop_back();
    post(timer.lane, std::move(timer.job));
}

bool SimulatedExecutor::poll_io() {
    return run_io([](auto& context) { return context.poll_one(); });
}

bool SimulatedExecutor::wait_for_io(Duration limit) {
    return run_io([limit](auto& context) { return context.run_one_for(limit); });
}

template <class RunOne>
bool SimulatedExecutor::run_io(RunOne run_one_of) {
    // A handler that drives the simulation must not be entered a second time.
    if (io_->running) return false;
    // Without a restart, an io_context that ran dry once would never run again.
    io_->context.restart();
    io_->running = true;
    const bool ran = run_one_of(io_->context) > 0;
    io_->running = false;
    if (stopped_) io_.reset();
    return ran;
}

// io_context says that it is stopped when it was run and had nothing outstanding.
bool SimulatedExecutor::io_outstanding() const {
    return io_ && !frozen_ && !io_->context.stopped();
}

Simulation::Simulation(std::uint64_t seed)
    : seed_(seed), random_(seed), order_(seed ^ kOrderSeed) {}

Simulation::~Simulation() {
    BELAY_ASSERT(executors_.empty(), "an executor outlives its simulation");
}

std::unique_ptr<SimulatedExecutor> Simulation::make_executor() {
    check_thread();
    return std::unique_ptr<SimulatedExecutor>(new SimulatedExecutor(*this));
}

bool Simulation::run_one() {
    check_thread();
    do {
        if (run_something_ready()) return true;
        if (wait_for_io(kIoFirst)) return true;
    } while (advance_to_next_timer());
    return wait_for_io(kIoAtAll);
}

bool Simulation::run_something_ready() {
    std::vector<std::pair<SimulatedExecutor*, SimulatedExecutor::Choice>> choices;
    for (auto* const executor : executors_) {
        executor->collect_due(clock_.now());
        executor->list_choices(choices);
    }
    // Firing a timer posts a job and so adds a choice; an io() with nothing to do takes one away.
    while (!choices.empty()) {
        const auto drawn = order_.below(choices.size());
        const auto [executor, choice] = choices[drawn];
        if (executor->run(choice, order_)) return true;
        if (choice == SimulatedExecutor::Choice::Timer) return run_something_ready();
        choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(drawn));
    }
    return false;
}

bool Simulation::wait_for_io(Duration limit) {
    for (auto* const executor : executors_)
        if (executor->io_outstanding() && executor->wait_for_io(limit)) return true;
    return false;
}

bool Simulation::advance_to_next_timer() {
    std::optional<Time> next;
    for (const auto* const executor : executors_) {
        if (executor->frozen_) continue;
        const auto its_next = executor->timers_.next();
        if (its_next && (!next || *its_next < *next)) next = its_next;
    }
    if (!next) return false;
    clock_.set(*next);
    return true;
}

void Simulation::check_thread() const {
    BELAY_ASSERT(thread_ == std::this_thread::get_id(), "a simulation has one thread");
}

}  // namespace belay::env
