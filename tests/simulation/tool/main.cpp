// belay-sim — many seeds of the simulation, or one again, or a plan cut down to what breaks.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <belay/codec.hpp>

#include "simulation/simulate.hpp"

namespace {

using namespace belay::test;

int show(const Plan& plan, const Verdict& verdict, PlantedBug bug) {
    if (verdict.broken.empty()) {
        fmt::print("seed {}: no promise broken in {} jobs; {}\n", plan.seed, verdict.jobs,
                   belay::to_json(verdict.reached));
        return 0;
    }
    fmt::print("seed {}:\n  {}\n", plan.seed, fmt::join(verdict.broken, "\n  "));
    const Plan small = shrink(plan, bug);
    fmt::print("cut down (save it and give it with --plan):\n{}\n  {}\n", belay::to_json(small),
               fmt::join(simulate(small, bug).broken, "\n  "));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Runs random workflows under random faults and says which promise was broken. The same "
        "seed is the "
        "same simulation."};
    std::uint64_t seed = 1;
    std::uint64_t count = 1;
    std::string file;
    std::string bug_name = "None";
    app.add_option("--seed", seed, "the first seed")->capture_default_str();
    app.add_option("--count", count, "how many seeds from there")->capture_default_str();
    app.add_option("--plan", file, "a plan as JSON instead of a seed")->check(CLI::ExistingFile);
    app.add_option("--bug", bug_name,
                   "plant this mistake in the store (NoEpochCheck, BodyTwice, …)");
    bool is_traced = false;
    app.add_flag("--trace", is_traced, "print every commit and event");
    CLI11_PARSE(app, argc, argv);

    PlantedBug bug = PlantedBug::None;
    if (!boost::describe::enum_from_string(bug_name.c_str(), bug)) {
        fmt::print(
            stderr,
            "belay-sim: no planted bug is called `{}`; see tests/simulation/planted_bug.hpp\n",
            bug_name);
        return 2;
    }
    const auto print = [](const std::string& line) { fmt::print("{}\n", line); };
    const Trace trace = is_traced ? Trace{print} : Trace{};
    if (!file.empty()) {
        std::ifstream stream{file};
        const std::string text{std::istreambuf_iterator<char>{stream}, {}};
        const Plan plan = belay::from_json<Plan>(text);
        return show(plan, simulate(plan, bug, trace), bug);
    }
    Reached reached;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Plan plan = draw_plan(seed + i);
        const Verdict verdict = simulate(plan, bug, trace);
        if (count == 1 || !verdict.broken.empty()) return show(plan, verdict, bug);
        reached += verdict.reached;
        if ((i + 1) % 1000 == 0) fmt::print("{} seeds\n", i + 1);
    }
    fmt::print("{} seeds, no promise broken; {}\n", count, belay::to_json(reached));
}
