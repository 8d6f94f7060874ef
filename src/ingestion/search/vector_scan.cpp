#include "ingestion/search/vector_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace belay::search {
namespace {

// Four floats at once by the compiler's own vector type: a register of SSE or NEON. A plain loop would
// not do: adding floats in another order is not the same sum, so compilers do not.
constexpr std::size_t kLanes = 4;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));

Lanes load(const float* at) {
    Lanes lanes;
    std::memcpy(&lanes, at, sizeof lanes);
    return lanes;
}

float sum(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

bool better(const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
}

}  // namespace

float dot(const float* a, const float* b, std::size_t size) {
    // Four sums that do not wait for one another: an addition takes four cycles.
    Lanes sums[4]{};
    std::size_t i = 0;
    for (; i + 4 * kLanes <= size; i += 4 * kLanes)
        for (std::size_t part = 0; part < 4; ++part)
            sums[part] += load(a + i + part * kLanes) * load(b + i + part * kLanes);
    for (; i + kLanes <= size; i += kLanes) sums[0] += load(a + i) * load(b + i);
    float total = sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < size; ++i) total += a[i] * b[i];
    return total;
}

VectorTable::VectorTable(std::size_t dimension)
    : dimension_(dimension), stride_((dimension + kLanes - 1) / kLanes * kLanes) {
    if (dimension == 0 || dimension > 65'536)
        throw std::invalid_argument("a vector has 1 to 65536 numbers");
}

void VectorTable::put(std::uint64_t id, std::span<const float> vector) {
    if (vector.size() != dimension_)
        throw std::invalid_argument("the vector's dimension is not the table's");
    if (!std::all_of(vector.begin(), vector.end(),
                     [](float value) { return std::isfinite(value); }))
        throw std::invalid_argument("the vector has a number that is not finite");
    const auto [at, fresh] = row_of_.try_emplace(id, ids_.size());
    if (fresh) {
        ids_.push_back(id);
        values_.resize(values_.size() + stride_, 0.0f);
    }
    std::copy(vector.begin(), vector.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(at->second * stride_));
}

bool VectorTable::erase(std::uint64_t id) {
    const auto at = row_of_.find(id);
    if (at == row_of_.end()) return false;
    // The last row takes the place of the one that goes.
    const std::size_t row = at->second, last = ids_.size() - 1;
    if (row != last) {
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(last * stride_), stride_,
                    values_.begin() + static_cast<std::ptrdiff_t>(row * stride_));
        ids_[row] = ids_[last];
        row_of_[ids_[row]] = row;
    }
    ids_.pop_back();
    values_.resize(last * stride_);
    row_of_.erase(at);
    return true;
}

std::vector<Hit> VectorTable::nearest(std::span<const float> query, std::size_t count,
                                      float score_min) const {
    if (query.size() != dimension_)
        throw std::invalid_argument("the query's dimension is not the table's");
    std::vector<float> padded(query.begin(), query.end());
    padded.resize(stride_, 0.0f);
    std::vector<Hit> best;  // a heap with the worst in front
    count = std::min(count, size());
    if (count == 0) return best;
    best.reserve(count + 1);
    float bar = score_min;
    for (std::size_t row = 0; row < ids_.size(); ++row) {
        const float score = dot(values_.data() + row * stride_, padded.data(), stride_);
        if (!(score >= bar)) continue;
        const Hit hit{ids_[row], score};
        if (best.size() == count && !better(hit, best.front())) continue;
        best.push_back(hit);
        std::push_heap(best.begin(), best.end(), better);
        if (best.size() > count) {
            std::pop_heap(best.begin(), best.end(), better);
            best.pop_back();
        }
        if (best.size() == count) bar = std::max(bar, best.front().score);
    }
    std::sort_heap(best.begin(), best.end(), better);
    return best;
}

}  // namespace belay::search
