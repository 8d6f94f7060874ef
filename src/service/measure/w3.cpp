// w3.cpp — a chord: many branches and what is made of all their results; what a branch costs when there are
// few, and when there are very many.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/library/host.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

constexpr int kFew = 100;
constexpr int kMany = 100'000;

Note trivial(int number) { return {number, kNoteText}; }

std::int64_t add_up(const std::vector<Note>& notes) {
    std::int64_t sum = 0;
    for (const Note& note : notes) sum += note.number;
    return sum;
}

std::int64_t joined(std::int64_t sum) { return sum; }

Task<std::int64_t> chord(Context& ctx, int branches) {
    std::vector<int> numbers(static_cast<std::size_t>(branches));
    for (int i = 0; i < branches; ++i) numbers[static_cast<std::size_t>(i)] = i;
    const auto notes = co_await ctx.map("branch", numbers, trivial);
    // The results of 100,000 branches are larger than one checkpoint: added up where they are, and joined by a
    // step of its own, as the peers do (bench/peers).
    const std::int64_t sum = add_up(notes);
    co_return co_await ctx.step("join", joined, sum);
}

double seconds_of(Engine& engine, int branches) {
    const Stopwatch watch;
    const auto sum = engine.submit<std::int64_t>("W3", branches).result();
    const double seconds = watch.seconds();
    const std::int64_t expected = std::int64_t{branches} * (branches - 1) / 2;
    if (sum != expected)
        throw Error(ErrorCode::RunFailed, fmt::format("the chord gave {}, not {}", sum, expected));
    return seconds;
}

}  // namespace

void run_w3(const BenchOptions& options, std::ostream& out) {
    const int many = options.runs > 0 ? options.runs : kMany;
    std::vector<double> few_ms;
    std::vector<double> many_s;
    std::vector<double> ratios;
    for (int i = 0; i < options.rounds; ++i) {
        const Scratch scratch(options.folder, "belay-bench-w3");
        EngineOptions engine_options;
        engine_options.log_to_stderr = false;
        Engine engine{belay::sqlite(scratch.file().string()), engine_options};
        engine.define("W3", chord);
        engine.start();
        seconds_of(engine, kFew);  // the first pays for the file
        std::vector<double> few;
        for (int j = 0; j < 9; ++j) few.push_back(seconds_of(engine, kFew));
        few_ms.push_back(median(few) * 1000);
        many_s.push_back(seconds_of(engine, many));
        ratios.push_back((many_s.back() / many) / (few_ms.back() / 1000 / kFew));
        if (!options.json) {
            fmt::print(out,
                       "round {}: {} branches in {:.2f} ms; {} in {:.2f} s; a branch costs {:.2f} "
                       "times as much\n",
                       i + 1, kFew, few_ms.back(), many, many_s.back(), ratios.back());
            out.flush();
        }
    }
    const double few_us = median(few_ms) * 1000 / kFew;
    const double many_us = median(many_s) * 1e6 / many;
    if (options.json) {
        fmt::print(
            out,
            R"({{"work":"W3","chord_100_ms":{:.3f},"branches":{},"seconds":{:.3f},"us_per_branch_100":{:.2f},)"
            R"("us_per_branch":{:.2f},"ratio":{:.3f},"rounds":{}}})"
            "\n",
            median(few_ms), many, median(many_s), few_us, many_us, median(ratios), options.rounds);
        return;
    }
    fmt::print(out,
               "W3: a chord of {}: {:.2f} ms, {:.1f} us a branch; of {}: {:.2f} s, {:.1f} us a "
               "branch; ratio {:.2f} "
               "(median of {})\n",
               kFew, median(few_ms), few_us, many, median(many_s), many_us, median(ratios),
               options.rounds);
}

}  // namespace belay::measure
