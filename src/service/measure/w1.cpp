// w1.cpp — many short runs at once: how much of SQLite's own speed is left for durable steps.
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/library/host.hpp"
#include "service/measure/bare_sqlite.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

constexpr int kSteps = 10;
constexpr int kSubmitAtOnce = 100;

Note trivial(int number) { return {number, kNoteText}; }

Task<Note> ten_steps(Context& ctx, int number) {
    Note last;
    for (int i = 0; i < kSteps; ++i) last = co_await ctx.step("step", trivial, number + i);
    co_return last;
}

struct Round {
    double steps_per_s = 0;
    double rows_per_commit = 0;
    double baseline_rows_per_s = 0;
    double ratio = 0;  // of rows a second, Belay's to the baseline's
};

Round measure_round(const BenchOptions& options, int runs) {
    Round round;
    {
        const Scratch scratch(options.folder, "belay-bench-w1");
        EngineOptions engine_options;
        engine_options.log_to_stderr = false;
        const auto core =
            library::make_core(belay::sqlite(scratch.file().string()), engine_options);
        Engine engine{core};
        engine.define("W1", ten_steps);
        engine.start();
        const auto& counters = core->counters();
        const Stopwatch watch;
        int submitted = 0;
        while (counters.runs_ended < runs) {
            if (submitted < runs &&
                submitted - counters.runs_ended <= options.in_flight - kSubmitAtOnce) {
                std::vector<int> inputs(
                    static_cast<std::size_t>(std::min(kSubmitAtOnce, runs - submitted)), submitted);
                engine.submit_many<Note>("W1", inputs);
                submitted += static_cast<int>(inputs.size());
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
        const double seconds = watch.seconds();
        const auto counts = core->store().count_runs();
        if (counts.succeeded != runs) {
            throw Error(ErrorCode::RunFailed,
                        fmt::format("{} of {} runs succeeded", counts.succeeded, runs));
        }
        const double rows = static_cast<double>(runs) * (kSteps + 1);
        round.steps_per_s = static_cast<double>(runs) * kSteps / seconds;
        round.rows_per_commit = rows / static_cast<double>(counters.commits);
        round.ratio = rows / seconds;
    }
    const Scratch scratch(options.folder, "belay-bench-w1");
    const BareResult bare =
        bare_batched_inserts(scratch.file(), runs, kSteps, options.in_flight,
                             std::max(1, static_cast<int>(round.rows_per_commit + 0.5)));
    round.baseline_rows_per_s = bare.rows / bare.seconds;
    round.ratio /= round.baseline_rows_per_s;
    return round;
}

}  // namespace

void run_w1(const BenchOptions& options, std::ostream& out) {
    const int runs = options.runs > 0 ? options.runs : 20'000;
    std::vector<double> steps;
    std::vector<double> baseline;
    std::vector<double> batch;
    std::vector<double> ratios;
    for (int i = 0; i < options.rounds; ++i) {
        const Round round = measure_round(options, runs);
        steps.push_back(round.steps_per_s);
        baseline.push_back(round.baseline_rows_per_s);
        batch.push_back(round.rows_per_commit);
        ratios.push_back(round.ratio);
        if (!options.json) {
            fmt::print(
                out,
                "round {}: {:>9.0f} steps/s, {:.0f} rows a commit; bare SQLite {:>9.0f} rows/s; "
                "ratio {:.2f}\n",
                i + 1, round.steps_per_s, round.rows_per_commit, round.baseline_rows_per_s,
                round.ratio);
            out.flush();
        }
    }
    if (options.json) {
        fmt::print(
            out,
            R"({{"work":"W1","steps_per_s":{:.0f},"baseline_rows_per_s":{:.0f},"ratio":{:.3f},)"
            R"("rows_per_commit":{:.0f},"runs":{},"steps_per_run":{},"in_flight":{},"rounds":{}}})"
            "\n",
            median(steps), median(baseline), median(ratios), median(batch), runs, kSteps,
            options.in_flight, options.rounds);
        return;
    }
    fmt::print(out,
               "W1: {} runs of {} steps, {} in flight: {:.0f} durable steps a second; bare batched "
               "inserts of "
               "the same rows {:.0f} rows/s; ratio {:.2f} (of rows a second, median of {})\n",
               runs, kSteps, options.in_flight, median(steps), median(baseline), median(ratios),
               options.rounds);
}

}  // namespace belay::measure
