// rank_fusion.hpp — several ranked lists of documents as one.
//
// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): scores of full text and of vectors cannot
// be compared, ranks can. What both lists put high comes first; what one list puts first stays near
// the top whatever the other says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace belay::search {

struct RankedList {
    std::vector<std::uint64_t> ids{};  // best first; an id counts once, where it is highest
    double weight = 1;
};

struct Fused {
    std::uint64_t id = 0;
    double score = 0;

    friend bool operator==(const Fused&, const Fused&) = default;
};

// The `count` best of all lists, best first; equal scores by id. A place is worth weight / (60 + place):
// 60 is the published constant, which keeps one list's first places from deciding alone.
std::vector<Fused> fuse(std::span<const RankedList> lists, std::size_t count);

}  // namespace belay::search
