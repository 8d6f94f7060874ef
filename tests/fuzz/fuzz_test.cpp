// fuzz_test.cpp — a short run of every fuzz target: its seeds, cut, joined and disturbed, in an order drawn
// from a seed. `make fuzz` is the long one, guided by coverage.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "env/random.hpp"
#include "fuzz/targets.hpp"
#include "support/seed.hpp"

namespace belay::fuzz {
namespace {

constexpr int kInputs = 1500;

std::vector<std::string> seeds_of(std::string_view text) {
    constexpr std::string_view kBetween = "\n====\n";
    std::vector<std::string> seeds;
    while (true) {
        const std::size_t end = text.find(kBetween);
        seeds.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return seeds;
        text.remove_prefix(end + kBetween.size());
    }
}

// One small change.
void disturb(std::string& input, const std::vector<std::string>& seeds, env::Random& random) {
    const std::size_t at = random.below(input.size() + 1);
    switch (random.below(6)) {
        case 0:
            input.insert(at, 1, static_cast<char>(random.below(256)));
            return;
        case 1:
            if (at < input.size()) input.erase(at, 1 + random.below(8));
            return;
        case 2:
            if (at < input.size()) input[at] = static_cast<char>(random.below(256));
            return;
        case 3:
            input = input.substr(0, at) + input.substr(at / 2);  // a part twice
            return;
        case 4: {
            const std::string& other = seeds[random.below(seeds.size())];
            input = input.substr(0, at) + other.substr(random.below(other.size() + 1));
            return;
        }
        default:
            constexpr std::string_view kEdges[] = {"\0", "-", "99999999999999999999", "\r\n", "\"", "%", "/", "\xff\xfe", "<", "&"};
            input.insert(at, kEdges[random.below(std::size(kEdges))]);
    }
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, no_input_is_a_finding) {
    env::SeededRandom random{test::seed_of_this_test()};
    const auto seeds = seeds_of(GetParam().seeds);
    for (const std::string& seed : seeds) GetParam().run(seed);
    GetParam().run("");
    for (int i = 0; i < kInputs; ++i) {
        std::string input = seeds[random.below(seeds.size())];
        const auto changes = 1 + random.below(8);
        for (std::uint64_t n = 0; n < changes; ++n) disturb(input, seeds, random);
        if (input.size() > 8192) input.resize(8192);
        GetParam().run(input);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, Fuzz, testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace belay::fuzz
