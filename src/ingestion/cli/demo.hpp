// demo.hpp — `belay demo`: made-up documents through every workflow of files, and a person who is asked.
//
// For someone who has just installed Belay and has nothing at hand: what it reads, how long that takes, and how much
// of it is right, because what stands on a made-up document is known.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "service/cli/command.hpp"

namespace belay::cli {

// A document that belay-samples wrote, and what a perfect reader finds in it.
struct DemoSample {
    std::filesystem::path file{};
    std::string workflow_type{};
    boost::json::value truth{};
};

// The lines of index.jsonl that are worth showing: each kind as it comes and worn, a receipt as a picture, the others
// as PDF. Throws Error{BadValue} naming a line that is none.
std::vector<DemoSample> demo_samples(const std::filesystem::path& folder);

struct Score {
    std::size_t right = 0;
    std::size_t asked = 0;
};

// How many of the fields that a person would look at first were read right.
Score score_of(const DemoSample& sample, const boost::json::value& result);

}  // namespace belay::cli
