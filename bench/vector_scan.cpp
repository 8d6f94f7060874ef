// vector_scan.cpp — how long the nearest of 100,000 vectors takes, beside reading the same memory once.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "ingestion/search/vector_scan.hpp"

namespace {

template <class F>
double milliseconds(int times, const F& work) {
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(
                                  std::chrono::steady_clock::now() - begin)
                                  .count());
    }
    return best;
}

}  // namespace

int main() {
    constexpr std::size_t kVectors = 100'000, kDimension = 100;
    std::mt19937 random{1};
    std::normal_distribution<float> normal;
    belay::search::VectorTable table{kDimension};
    std::vector<float> vector(kDimension);
    for (std::size_t id = 0; id < kVectors; ++id) {
        for (float& value : vector) value = normal(random);
        table.put(id, vector);
    }
    std::size_t found = 0;
    const double scan = milliseconds(50, [&] { found += table.nearest(vector, 20).size(); });
    const std::vector<unsigned long long> memory(kVectors * kDimension / 2, 1);
    unsigned long long sum = 0;
    const double read =
        milliseconds(50, [&] { sum += std::accumulate(memory.begin(), memory.end(), 0ull); });
    std::printf(
        "top 20 of %zu x %zu floats: %.2f ms (%.1f GB/s); adding up the same 40 MB: %.2f ms; ratio "
        "%.2f\n",
        kVectors, kDimension, scan, 0.04 / scan * 1000, read, scan / read);
    return found + sum == 0;
}
