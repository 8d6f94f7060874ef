// w2.cpp — one run, one step after another: what Belay adds to an fsync'ed commit.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/library/host.hpp"
#include "service/measure/bare_sqlite.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

Note trivial(int number) { return {number, kNoteText}; }

Task<int> many_steps(Context& ctx, int steps) {
    int sum = 0;
    for (int i = 0; i < steps; ++i) sum += (co_await ctx.step("step", trivial, i)).number;
    co_return sum;
}

}  // namespace

void run_w2(const BenchOptions& options, std::ostream& out) {
    const int steps = options.runs > 0 ? options.runs : 1000;
    std::vector<double> belay_ms;
    std::vector<double> bare_ms;
    std::vector<double> ratios;
    for (int i = 0; i < options.rounds; ++i) {
        double mine = 0;
        {
            const Scratch scratch(options.folder, "belay-bench-w2");
            EngineOptions engine_options;
            engine_options.log_to_stderr = false;
            Engine engine{belay::sqlite(scratch.file().string()), engine_options};
            engine.define("W2", many_steps);
            engine.start();
            const Stopwatch watch;
            engine.submit<int>("W2", steps).result();
            mine = watch.seconds() * 1000 / steps;
        }
        const Scratch scratch(options.folder, "belay-bench-w2");
        const BareResult bare = bare_single_commits(scratch.file(), steps);
        const double theirs = bare.seconds * 1000 / steps;
        belay_ms.push_back(mine);
        bare_ms.push_back(theirs);
        ratios.push_back(mine / theirs);
        if (!options.json) {
            fmt::print(
                out, "round {}: {:.3f} ms a step; a bare fsync'ed commit {:.3f} ms; ratio {:.2f}\n",
                i + 1, mine, theirs, mine / theirs);
            out.flush();
        }
    }
    if (options.json) {
        fmt::print(
            out,
            R"({{"work":"W2","ms_per_step":{:.4f},"baseline_ms_per_commit":{:.4f},"ratio":{:.3f},)"
            R"("steps":{},"rounds":{}}})"
            "\n",
            median(belay_ms), median(bare_ms), median(ratios), steps, options.rounds);
        return;
    }
    fmt::print(out,
               "W2: one run of {} steps: {:.3f} ms a step; one fsync'ed SQLite commit {:.3f} ms; "
               "ratio {:.2f} "
               "(median of {})\n",
               steps, median(belay_ms), median(bare_ms), median(ratios), options.rounds);
}

}  // namespace belay::measure
