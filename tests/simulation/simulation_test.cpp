// simulation_test.cpp — some hundreds of seeds without a broken promise, and every planted bug found.
//
// BELAY_SIM_SEEDS says how many (tests/full runs tens of thousands), BELAY_SEED where they begin.
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <belay/codec.hpp>

#include "simulation/plan.hpp"
#include "simulation/planted_bug.hpp"
#include "simulation/simulate.hpp"

namespace belay::test {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string report(const Plan& plan, const Verdict& verdict) {
    return fmt::format("{}\nrepeat: belay-sim --seed {}\n", fmt::join(verdict.broken, "\n"),
                       plan.seed);
}

TEST(Simulation, KeepsEveryPromiseUnderEverySeed) {
    const std::uint64_t from = number_from("BELAY_SEED", 1);
    const std::uint64_t count = number_from("BELAY_SIM_SEEDS", 400);
    Reached reached;
    for (std::uint64_t seed = from; seed < from + count; ++seed) {
        const Plan plan = draw_plan(seed);
        const Verdict verdict = simulate(plan);
        reached += verdict.reached;
        ASSERT_TRUE(verdict.broken.empty()) << report(plan, verdict);
    }
    if (count >= 200) {
        EXPECT_TRUE(reached.missing().empty())
            << "never reached: " << fmt::format("{}", fmt::join(reached.missing(), ", "));
    }
    fmt::print("{} seeds: {}\n", count, to_json(reached));
}

// Each stands for a mistake that was found by it: see CHANGELOG and docs/reliability.md.
TEST(Simulation, KeepsThePromisesItOnceFoundBroken) {
    for (const std::uint64_t seed : {458, 1316, 10499, 50319, 102642, 208403}) {
        const Plan plan = draw_plain_plan(seed);
        const Verdict verdict = simulate(plan);
        EXPECT_TRUE(verdict.broken.empty()) << report(plan, verdict);
    }
}

TEST(Simulation, IsTheSameForTheSameSeed) {
    const Plan plan = draw_plan(7);
    const Verdict first = simulate(plan);
    const Verdict second = simulate(plan);
    EXPECT_EQ(to_json(first.reached), to_json(second.reached));
    EXPECT_EQ(first.jobs, second.jobs);
}

TEST(Simulation, APlanThatIsWrittenDownIsTheSamePlan) {
    const Plan plan = draw_plan(11);
    EXPECT_EQ(to_json(from_json<Plan>(to_json(plan))), to_json(plan));
}

class PlantedBugs : public testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedBugs, AreFoundWithinAThousandSeeds) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const Plan plan = draw_plan(seed);
        const Verdict verdict = simulate(plan, GetParam());
        if (verdict.broken.empty()) continue;
        fmt::print("found at seed {}: {}\n", seed, verdict.broken.front());
        return;
    }
    FAIL() << "nobody noticed " << to_string(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedBugs,
                         testing::Values(PlantedBug::NoEpochCheck, PlantedBug::AckWithoutCommit,
                                         PlantedBug::ForgottenStage, PlantedBug::BodyTwice,
                                         PlantedBug::MessageTwice, PlantedBug::NoRecheckBeforeWait,
                                         PlantedBug::LostSignal, PlantedBug::LostRun,
                                         PlantedBug::WiderQueue, PlantedBug::PruneByOldList,
                                         PlantedBug::SilentLook, PlantedBug::BorrowedFlag,
                                         PlantedBug::PushedAgain, PlantedBug::BlameByPresence,
                                         PlantedBug::ForgottenDeath, PlantedBug::LostWord,
                                         PlantedBug::OldWord, PlantedBug::UndoByPath,
                                         PlantedBug::UndoWithoutPlan, PlantedBug::LateReservation),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Simulation, AFailingPlanIsCutDownToWhatMatters) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const Plan plan = draw_plan(seed);
        if (simulate(plan, PlantedBug::BodyTwice).broken.empty()) continue;
        const Plan small = shrink(plan, PlantedBug::BodyTwice);
        EXPECT_EQ(small.runs.size(), 1U);
        EXPECT_TRUE(small.faults.empty());
        EXPECT_EQ(small.runs[0].program.ops.size(), 1U) << to_json(small);
        return;
    }
    FAIL() << "no seed has a transaction";
}

}  // namespace
}  // namespace belay::test
