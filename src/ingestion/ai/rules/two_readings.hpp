// two_readings.hpp — amounts that two readers read differently: what adds up decides, else a person does.
//
// A fused page says of a number what the other reader saw there (media::Word::other). The document's own arithmetic
// is asked which of the two it was; where it cannot tell, both readings are shown.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/field.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// How many of a document's sums come out right, and how many do not.
struct Balance {
    int right = 0, wrong = 0;
};
using Balancing = std::function<Balance(const std::vector<media::Page>&)>;

// At most so many amounts are tried the other way: each costs a reading of the document by its rules.
inline constexpr std::size_t kTrialsMax = 16;

// The pages with those readings for which more of the sums come out right, and none more does not. Pages whose sums
// are right as they are, or on which nothing was read two ways, come back as they were.
std::vector<media::Page> settled(std::vector<media::Page> pages, const Balancing& balance);

// What the other reader saw where `field` was read, if that is another amount.
std::optional<std::string> other_reading(const std::vector<media::Page>& pages,
                                         const Found<Decimal>& field);

}  // namespace belay::ai::rules
