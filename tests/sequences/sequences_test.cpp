// sequences_test.cpp — uploads, deletes, copies, other types, retries, notifications and deaths, in any order.
//
// Two hundred random sequences here; BELAY_SEQUENCES=10000 with `make test-full`. A failure prints its seed and
// what was done: BELAY_SEED=… BELAY_SEQUENCES=1 repeats it.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sequences/sequence_world.hpp"
#include "support/seed.hpp"

namespace belay::test {
namespace {

constexpr int kActs = 30;

int sequences() {
    const char* asked = std::getenv("BELAY_SEQUENCES");
    return asked != nullptr ? std::max(1, std::atoi(asked)) : 200;
}

// What is wrong with the sequence of that seed, and what it did; empty if nothing is.
std::string failure_of(std::uint64_t seed) {
    SequenceWorld world{seed};
    std::string wrong;
    try {
        for (int i = 0; i < kActs && wrong.empty(); ++i) {
            if (world.act()) wrong = world.check();
        }
        if (wrong.empty()) {
            world.settle();
            wrong = world.check();
        }
    } catch (const std::exception& error) {
        wrong = fmt::format("a caller was told: {}", error.what());
    }
    if (wrong.empty()) return {};
    return fmt::format("BELAY_SEED={} BELAY_SEQUENCES=1\n{}\n{}", seed,
                       fmt::join(world.done(), "\n"), wrong);
}

TEST(Sequences, whatever_is_done_in_any_order_files_runs_rows_and_lists_agree) {
    const std::uint64_t first = seed_of_this_test();
    for (int i = 0; i < sequences(); ++i) {
        const std::string failure = failure_of(first + static_cast<std::uint64_t>(i));
        ASSERT_EQ(failure, "");
    }
}

}  // namespace
}  // namespace belay::test
