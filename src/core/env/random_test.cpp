#include "core/env/random.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

std::vector<std::uint64_t> draw(Random& random, int count) {
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(random.next());
    return numbers;
}

TEST(SeededRandom, repeats_from_its_seed) {
    SeededRandom first{7};
    SeededRandom second{7};
    SeededRandom other{8};

    const auto numbers = draw(first, 100);

    EXPECT_EQ(numbers, draw(second, 100));
    EXPECT_NE(numbers, draw(other, 100));
}

// The order of every recorded simulation depends on it.
TEST(SeededRandom, gives_the_numbers_it_has_always_given) {
    SeededRandom random{0};

    EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
}

TEST(Random, below_reaches_every_number_and_no_other) {
    SeededRandom random{1};
    std::array<int, 7> seen{};

    for (int i = 0; i < 7'000; ++i) ++seen.at(random.below(7));

    for (const int count : seen) EXPECT_NEAR(count, 1'000, 200);
}

TEST(Random, a_fraction_is_at_least_zero_and_less_than_one) {
    SeededRandom random{1};
    double sum = 0;

    for (int i = 0; i < 10'000; ++i) {
        const auto fraction = random.fraction();
        ASSERT_GE(fraction, 0);
        ASSERT_LT(fraction, 1);
        sum += fraction;
    }

    EXPECT_NEAR(sum / 10'000, 0.5, 0.05);
}

TEST(SystemRandom, differs_between_threads) {
    SystemRandom random;
    std::vector<std::uint64_t> theirs;

    const auto ours = draw(random, 10);
    std::thread([&] { theirs = draw(random, 10); }).join();

    EXPECT_NE(ours, theirs);
}

TEST(SystemRandom, differs_in_a_forked_child) {
    SystemRandom random;
    random.next();
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);

    const auto child = ::fork();
    if (child == 0) {
        const auto number = random.next();
        ::_exit(::write(ends[1], &number, sizeof number) == sizeof number ? 0 : 1);
    }
    std::uint64_t theirs = 0;
    ASSERT_EQ(::read(ends[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);

    EXPECT_NE(random.next(), theirs);
}

}  // namespace
}  // namespace belay::env
