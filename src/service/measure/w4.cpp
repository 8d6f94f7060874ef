// w4.cpp — a great many runs that wait: what one costs in memory, parked and not, and how soon all are
// back after the process was killed.
#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sqlite3.h>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

constexpr int kSubmitAtOnce = 1000;

Note trivial(int number) { return {number, kNoteText}; }

Task<int> sleeper(Context& ctx, int number) {
    const Note before = co_await ctx.step("before", trivial, number);
    co_await ctx.sleep(std::chrono::hours(1));
    co_return before.number;
}

// What the program holds, SQLite's page cache apart: that is a setting, not a cost of a run.
double heap_bytes() {
    return static_cast<double>(mallinfo2().uordblks) - static_cast<double>(sqlite3_memory_used());
}

void wait_until(const std::function<bool()>& reached) {
    while (!reached()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void submit_all(Engine& engine, int runs) {
    for (int first = 0; first < runs; first += kSubmitAtOnce) {
        const std::vector<int> inputs(
            static_cast<std::size_t>(std::min(kSubmitAtOnce, runs - first)), first);
        engine.submit_many<int>("W4", inputs);
    }
}

struct Asleep {
    double bytes_per_run = 0;
    double seconds = 0;
};

// Puts `runs` runs to sleep, all in memory or all parked; calls `asleep` while they are.
void put_to_sleep(const std::filesystem::path& file, int runs, bool parked,
                  const std::function<void(const Asleep&)>& asleep) {
    EngineOptions options;
    options.log_to_stderr = false;
    options.waiting_in_memory_max = parked ? 0 : static_cast<std::size_t>(runs) * 2;
    const auto core = library::make_core(belay::sqlite(file.string()), options);
    Engine engine{core};
    engine.define("W4", sleeper);
    engine.start();
    const auto all_wait = [&](int count) {
        wait_until([&] { return core->store().count_runs().waiting == count; });
        wait_until([&] { return core->verbs_waiting() == 0; });
    };
    // What is allocated once, on first use, is no cost of a run.
    submit_all(engine, kSubmitAtOnce);
    all_wait(kSubmitAtOnce);
    const double before = heap_bytes();
    const Stopwatch watch;
    submit_all(engine, runs);
    all_wait(runs + kSubmitAtOnce);
    Asleep result;
    result.seconds = watch.seconds();
    result.bytes_per_run = (heap_bytes() - before) / runs;
    asleep(result);
}

// The same in a process of its own, which is killed with SIGKILL while they sleep.
Asleep put_to_sleep_and_kill(const std::filesystem::path& file, int runs) {
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0)
        throw Error(ErrorCode::StoreUnavailable, "no pipe could be made");
    const pid_t child = ::fork();
    if (child == 0) {
        put_to_sleep(file, runs, true, [&](const Asleep& asleep) {
            if (::write(report[1], &asleep, sizeof(asleep)) != sizeof(asleep)) ::_exit(1);
            ::pause();
        });
        ::_exit(1);
    }
    ::close(report[1]);
    Asleep asleep;
    const bool reported = ::read(report[0], &asleep, sizeof(asleep)) == sizeof(asleep);
    ::close(report[0]);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (!reported)
        throw Error(ErrorCode::RunFailed, "the process that puts runs to sleep ended early");
    return asleep;
}

struct Recovery {
    double replayed_s = 0;  // until every run was claimed and replayed to where it had been
    double ended_s = 0;     // until all had finished
};

// A new process an hour later: every run is due at once.
Recovery recover_all(const std::filesystem::path& file, int runs) {
    env::OffsetClock clock{std::chrono::hours(2)};
    EngineOptions options;
    options.log_to_stderr = false;
    const Stopwatch watch;
    const auto core = library::make_core(belay::sqlite(file.string()), options, &clock);
    Engine engine{core};
    engine.define("W4", sleeper);
    engine.start();
    Recovery recovery;
    wait_until([&] { return core->counters().steps_replayed >= runs; });
    recovery.replayed_s = watch.seconds();
    wait_until([&] { return core->counters().runs_ended >= runs; });
    recovery.ended_s = watch.seconds();
    const auto counts = core->store().count_runs();
    if (counts.succeeded != runs) {
        throw Error(ErrorCode::RunFailed,
                    fmt::format("{} of {} runs succeeded", counts.succeeded, runs));
    }
    return recovery;
}

}  // namespace

void run_w4(const BenchOptions& options, std::ostream& out) {
    const int runs = options.runs > 0 ? options.runs : 100'000;
    Asleep parked;
    Recovery recovery;
    {
        const Scratch scratch(options.folder, "belay-bench-w4");
        parked = put_to_sleep_and_kill(scratch.file(), runs);
        recovery = recover_all(scratch.file(), runs + kSubmitAtOnce);
    }
    Asleep in_memory;
    {
        const Scratch scratch(options.folder, "belay-bench-w4");
        put_to_sleep(scratch.file(), runs, false,
                     [&](const Asleep& asleep) { in_memory = asleep; });
    }
    if (options.json) {
        fmt::print(
            out,
            R"({{"work":"W4","runs":{},"bytes_per_run_in_memory":{:.0f},"bytes_per_run_parked":{:.1f},)"
            R"("start_s":{:.2f},"recovered_s":{:.2f},"recovered_and_ended_s":{:.2f}}})"
            "\n",
            runs, in_memory.bytes_per_run, parked.bytes_per_run, in_memory.seconds,
            recovery.replayed_s, recovery.ended_s);
        return;
    }
    fmt::print(out,
               "W4: {} runs asleep: {:.0f} bytes each in memory, {:.1f} when parked (heap without "
               "SQLite's page "
               "cache); {:.1f} s to accept and put to sleep; after SIGKILL, with all of them due "
               "at once, {:.2f} s "
               "until every one was replayed, {:.2f} s until all had ended\n",
               runs, in_memory.bytes_per_run, std::max(0.0, parked.bytes_per_run),
               in_memory.seconds, recovery.replayed_s, recovery.ended_s);
}

}  // namespace belay::measure
