#include "ingestion/search/rank_fusion.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace belay::search {

std::vector<Fused> fuse(std::span<const RankedList> lists, std::size_t count) {
    constexpr double kSmooth = 60;
    std::unordered_map<std::uint64_t, double> scores;
    for (const RankedList& list : lists) {
        std::unordered_set<std::uint64_t> seen;
        double place = 0;
        for (const std::uint64_t id : list.ids) {
            if (!seen.insert(id).second) continue;
            place += 1;
            scores[id] += list.weight / (kSmooth + place);
        }
    }
    std::vector<Fused> fused;
    fused.reserve(scores.size());
    for (const auto& [id, score] : scores) fused.push_back({id, score});
    const auto better = [](const Fused& a, const Fused& b) {
        return a.score != b.score ? a.score > b.score : a.id < b.id;
    };
    count = std::min(count, fused.size());
    std::partial_sort(fused.begin(), fused.begin() + static_cast<std::ptrdiff_t>(count),
                      fused.end(), better);
    fused.resize(count);
    return fused;
}

}  // namespace belay::search
