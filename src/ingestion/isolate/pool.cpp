#include "ingestion/isolate/pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/outside.hpp>

#include "ingestion/isolate/helper_process.hpp"
#include "ingestion/isolate/job_run.hpp"
#include "ingestion/isolate/turns.hpp"

namespace belay::isolate {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

// After a helper that died or would not start, the next one waits; twice as long each time.
constexpr auto kBackOffFirst = 100ms;
constexpr auto kBackOffLongest = 5000ms;

// A helper that has lived this long was well: its end does not count towards the back-off.
constexpr auto kHealthyLife = 10s;

// A job whose helper died before it had a process is given to the next helper this often.
constexpr int kHandOversMax = 3;

// Long jobs leave the processor to those that somebody waits for, and to the server.
constexpr int kNiceOfLong = 5;

TurnPlaces places_for(const PoolOptions& options) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return {options.jobs_at_once > 0 ? options.jobs_at_once : cores, options.kept_for_short,
            options.looks_at_once};
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

// Its limit is what makes a short job short: others wait behind it for no longer.
void check_time(const Job& job, JobKind kind) {
    if (job.limits.cpu_time <= cpu_time_max(kind)) return;
    refuse(fmt::format(
        "{} may use {} s of processor time, and its turn is one for {} jobs: at most {} s",
        job.name, job.limits.cpu_time.count(), to_string(kind), cpu_time_max(kind).count()));
}

void check(const Job& job) {
    if (job.name.empty() || job.name.size() > kNameBytesMax)
        refuse("a job needs a name of at most 64 bytes");
    if (job.arguments.size() > kArgumentBytesMax) {
        refuse(fmt::format("the arguments of {} have {} bytes, at most {} are allowed", job.name,
                           job.arguments.size(), kArgumentBytesMax));
    }
    if (job.inputs.size() > kInputsMax) {
        refuse(fmt::format("{} has {} inputs, at most {} are allowed", job.name, job.inputs.size(),
                           kInputsMax));
    }
    const auto& limits = job.limits;
    if (limits.wall_time <= 0ms || limits.cpu_time < 0s || limits.open_files < 0) {
        refuse(fmt::format("the limits of {} must be positive", job.name));
    }
    if (limits.memory_bytes > kJobMemoryBytes) {
        refuse(fmt::format("{} may have {} bytes of memory, and no job more than {}", job.name,
                           limits.memory_bytes, kJobMemoryBytes));
    }
}

}  // namespace

class Pool::Impl {
public:
    explicit Impl(PoolOptions options)
        : options_(std::move(options)), turns_(places_for(options_), clock_) {}

    Answer run(const Job& job, const std::stop_token& stop) {
        check(job);
        const auto held = HeldTurn::of_this_thread(turns_);
        check_time(job, held.value_or(job.asker.kind));
        if (held) return run_in_turn(job, *held, stop);
        const auto turn = turns_.wait(job.asker, stop);
        if (!turn || stop.stop_requested())
            throw JobFailed(FailureCode::Stopped,
                            fmt::format("{} was stopped before it began", job.name));
        return run_in_turn(job, job.asker.kind, stop);
    }

    Answer run_in_turn(const Job& job, JobKind kind, const std::stop_token& stop) {
        const int nice = kind == JobKind::Long ? kNiceOfLong : 0;
        for (int hand_over = 1;; ++hand_over) {
            const auto helper = helper_for_job(stop);
            JobRun one{job, nice, *helper, options_.kill_time_max, stop};
            if (one.start()) {
                auto seen = one.finish();
                if (seen.ended) note_peak(seen.ended->peak_bytes);
                const bool lost = !seen.ended && !one.started() && !seen.ending;
                if (!lost || hand_over == kHandOversMax) return judge(job, std::move(seen));
            } else if (hand_over == kHandOversMax) {
                return judge(job, {});
            }
        }
    }

    // The helper, started if there is none. The pool and the jobs that run on it own it together: the last
    // of them to let go of a dead one collects its process.
    std::shared_ptr<HelperProcess> helper_for_job(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        for (;;) {
            if (helper_ && !helper_->dead()) return helper_;
            if (helper_) bury(lock);
            if (!starting_) break;
            if (!changed_.wait(lock, stop, [&] { return !starting_; })) throw_stopped();
        }
        starting_ = true;
        const auto stopped_waiting = !changed_.wait_until(lock, stop, start_not_before_, [] {
            return false;
        }) && stop.stop_requested();
        std::shared_ptr<HelperProcess> fresh;
        std::exception_ptr failure;
        if (!stopped_waiting) {
            lock.unlock();
            try {
                fresh = std::make_shared<HelperProcess>(options_, stop);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
        }
        starting_ = false;
        changed_.notify_all();
        if (stopped_waiting) throw_stopped();
        ++starts_;
        if (failure) {
            back_off();
            std::rethrow_exception(failure);
        }
        helper_ = fresh;
        helper_since_ = steady_clock::now();
        return fresh;
    }

    HelperInfo start(const std::stop_token& stop) {
        const auto helper = helper_for_job(stop);
        HelperInfo info;
        info.program = options_.program.empty() ? default_helper() : options_.program;
        info.sandbox = helper->hello().sandbox;
        info.jobs = helper->hello().jobs;
        for (const auto& job : helper->hello().unavailable)
            info.unavailable.emplace_back(job.name, job.reason);
        info.pid = helper->pid();
        return info;
    }

    int starts() const {
        const std::lock_guard lock{mutex_};
        return starts_;
    }
    Turns& turns() { return turns_; }
    std::uint64_t peak_bytes() const { return peak_bytes_; }

private:
    void note_peak(std::uint64_t bytes) {
        auto known = peak_bytes_.load();
        while (bytes > known && !peak_bytes_.compare_exchange_weak(known, bytes)) {
        }
    }

    [[noreturn]] static void throw_stopped() {
        throw JobFailed(FailureCode::Stopped, "stopped while waiting for the media helper");
    }

    void bury(std::unique_lock<std::mutex>& lock) {
        if (steady_clock::now() - helper_since_ > kHealthyLife) back_off_ = 0ms;
        back_off();
        auto dead = std::exchange(helper_, nullptr);
        // Its destructor waits for the process to be gone.
        lock.unlock();
        dead.reset();
        lock.lock();
    }

    void back_off() {
        // The first death costs nobody a wait.
        start_not_before_ = steady_clock::now() + back_off_;
        back_off_ = back_off_ == 0ms
                        ? kBackOffFirst
                        : std::min<std::chrono::milliseconds>(back_off_ * 2, kBackOffLongest);
    }

    const PoolOptions options_;
    const env::SystemClock clock_;
    Turns turns_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::shared_ptr<HelperProcess> helper_;
    bool starting_ = false;
    int starts_ = 0;
    std::atomic<std::uint64_t> peak_bytes_{0};
    steady_clock::time_point helper_since_{};
    steady_clock::time_point start_not_before_{};
    std::chrono::milliseconds back_off_{0};
};

Pool::Pool(PoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pool::~Pool() = default;

// The helper does the work, and dies of it alone: whoever waits for it here cannot have killed this process.
Answer Pool::run(const Job& job, std::stop_token stop) {
    const Outside waiting;
    return impl_->run(job, stop);
}
HelperInfo Pool::start(std::stop_token stop) { return impl_->start(stop); }
std::uint64_t Pool::peak_bytes() const { return impl_->peak_bytes(); }
int Pool::starts() const { return impl_->starts(); }
Turns& Pool::turns() { return impl_->turns(); }

int Pool::jobs_running() const {
    int count = 0;
    for (const auto kind : kAllJobKinds) count += impl_->turns().running(kind);
    return count;
}

int Pool::jobs_waiting() const {
    int count = 0;
    for (const auto kind : kAllJobKinds) count += impl_->turns().waiting(kind);
    return count;
}

}  // namespace belay::isolate
