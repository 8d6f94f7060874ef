// vector_scan.hpp — the nearest of many vectors, by looking at all of them.
//
// Exact, with nothing to build or to go stale: 100,000 vectors of 100 floats are 40 MB, which a core
// reads in a few milliseconds. All vectors of a table are of one model; whoever holds several models
// holds several tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace belay::search {

struct Hit {
    std::uint64_t id = 0;
    float score = 0;  // the dot product; the cosine if the vectors have length 1

    friend bool operator==(const Hit&, const Hit&) = default;
};

// Vectors by id. Not synchronised: one writer, or many readers.
class VectorTable {
public:
    // `dimension` of 1 to 65,536; throws std::invalid_argument otherwise.
    explicit VectorTable(std::size_t dimension);

    // Adds or replaces. Throws std::invalid_argument for another dimension or a number that is not finite.
    void put(std::uint64_t id, std::span<const float> vector);
    // False if it was not there.
    bool erase(std::uint64_t id);

    std::size_t size() const { return ids_.size(); }
    std::size_t dimension() const { return dimension_; }

    // The `count` best, best first; equal scores by id. Fewer if there are fewer or if they score below
    // `score_min`.
    std::vector<Hit> nearest(std::span<const float> query, std::size_t count,
                             float score_min = -2) const;

private:
    std::size_t dimension_;
    std::size_t stride_;  // the dimension rounded up, so that every row is whole blocks of numbers
    std::vector<float> values_{};
    std::vector<std::uint64_t> ids_{};
    std::unordered_map<std::uint64_t, std::size_t> row_of_{};
};

// The dot product of two arrays of `size` numbers.
float dot(const float* a, const float* b, std::size_t size);

}  // namespace belay::search
