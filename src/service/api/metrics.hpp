// metrics.hpp — numbers for Prometheus, in its text format.
//
// Counters and histograms are kept here and cost an atomic addition; what others already count is
// asked of them when somebody scrapes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::api {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Counter {
public:
    void add(std::int64_t n = 1) { value_ += n; }
    std::int64_t value() const { return value_; }

private:
    std::atomic<std::int64_t> value_{0};
};

// Durations in seconds, in fixed buckets.
class Histogram {
public:
    static constexpr std::array<double, 10> kBounds{0.001, 0.005, 0.01, 0.05, 0.1,
                                                    0.5,   1,     5,    30,   300};
    void observe(double seconds);

private:
    friend class Metrics;
    std::array<std::atomic<std::int64_t>, kBounds.size() + 1> counts_{};
    std::atomic<std::int64_t> sum_us_{0};
};

// What a collector writes to while somebody scrapes.
class MetricsText {
public:
    void family(std::string_view name, std::string_view type, std::string_view help);
    void sample(std::string_view name, const Labels& labels, double value);
    void gauge(std::string_view name, std::string_view help, double value);
    void counter(std::string_view name, std::string_view help, double value);
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// All functions may be called from any thread.
class Metrics {
public:
    // The counter of that name and those labels; made at the first call. It lives as long as this
    // does. Give labels only from a set that we choose, never what a client sends.
    Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
    Histogram& histogram(std::string_view name, std::string_view help, const Labels& labels = {});

    // Asked at every scrape. Register everything before the first one.
    void collect(std::function<void(MetricsText&)> collector);

    std::string text();

private:
    template <class T>
    struct Family {
        std::string help;
        std::map<Labels, std::unique_ptr<T>> members;
    };

    std::mutex mutex_;
    std::map<std::string, Family<Counter>, std::less<>> counters_;
    std::map<std::string, Family<Histogram>, std::less<>> histograms_;
    std::vector<std::function<void(MetricsText&)>> collectors_;
};

}  // namespace belay::api
