// fuzz_test.cpp — a short run of every fuzz target: its corpus as it is (every finding there ever was among it), then cut,
// joined and disturbed, in an order drawn from a seed. `make fuzz` is the long one, guided by coverage.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/env/random.hpp"
#include "fuzz/targets.hpp"
#include "support/seed.hpp"

namespace belay::fuzz {
namespace {

namespace fs = std::filesystem;

// A whole document is read in three ways and takes milliseconds; the others take microseconds.
int inputs_for(std::string_view target) {
    return target == "papers" || target == "pages" ? 150 : 1500;
}

constexpr std::size_t kBytesMax = 8192;

// The files of a target's corpus, in the order of their names.
std::vector<std::string> corpus_of(std::string_view target) {
    std::set<fs::path> paths;
    const fs::path folder = fs::path(BELAY_FUZZ_CORPUS) / target;
    if (fs::exists(folder)) {
        for (const auto& file : fs::directory_iterator(folder)) paths.insert(file.path());
    }
    std::vector<std::string> inputs;
    for (const auto& path : paths) {
        std::ifstream in{path, std::ios::binary};
        inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return inputs;
}

// One small change.
void disturb(std::string& input, const std::vector<std::string>& others, env::Random& random) {
    using namespace std::string_view_literals;
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
            const std::string& other = others[random.below(others.size())];
            input = input.substr(0, at) + other.substr(random.below(other.size() + 1));
            return;
        }
        default:
            constexpr std::string_view kEdges[] = {
                "\0"sv, "-", "99999999999999999999", "\r\n", "\"", "%", "/", "\xff\xfe", "<", "&"};
            input.insert(at, kEdges[random.below(std::size(kEdges))]);
    }
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, nothing_in_the_corpus_is_a_finding) {
    const auto corpus = corpus_of(GetParam().name);

    ASSERT_FALSE(corpus.empty()) << "write what good input looks like into tests/fuzz/corpus/"
                                 << GetParam().name;
    GetParam().run("");
    for (const std::string& input : corpus) GetParam().run(input);
}

TEST_P(Fuzz, nothing_made_of_the_corpus_is_a_finding) {
    env::SeededRandom random{test::seed_of_this_test()};
    const auto corpus = corpus_of(GetParam().name);
    ASSERT_FALSE(corpus.empty());

    for (int i = 0; i < inputs_for(GetParam().name); ++i) {
        std::string input = corpus[random.below(corpus.size())];
        const auto changes = 1 + random.below(8);
        for (std::uint64_t n = 0; n < changes; ++n) disturb(input, corpus, random);
        if (input.size() > kBytesMax) input.resize(kBytesMax);
        GetParam().run(input);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, Fuzz, testing::ValuesIn(all_targets()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FuzzCorpus, every_folder_belongs_to_a_target) {
    std::set<std::string> names;
    for (const auto& target : all_targets()) names.insert(std::string(target.name));

    for (const auto& folder : fs::directory_iterator(BELAY_FUZZ_CORPUS))
        EXPECT_TRUE(names.contains(folder.path().filename().string())) << folder.path();
}

TEST(FuzzCorpus, stays_small) {
    for (const auto& target : all_targets()) {
        const auto corpus = corpus_of(target.name);
        std::size_t bytes = 0;
        for (const auto& input : corpus) bytes += input.size();
        EXPECT_LE(corpus.size(), 40u) << target.name;
        EXPECT_LE(bytes, 64u * 1024) << target.name;
    }
}

}  // namespace
}  // namespace belay::fuzz
