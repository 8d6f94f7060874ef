// metrics.hpp — numbers about a running process, in the text that Prometheus reads.
//
// Find a series once and keep the reference: adding to it is then one atomic instruction, from any
// thread, without a lock. Only finding one and writing the text take a lock. The number of series of a
// metric is bounded, because a label that holds an id would otherwise eat the memory: what comes above the
// bound is counted together, under the label value `_other`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::base {

// Only grows.
class Counter {
public:
    void add(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// Goes up and down.
class Gauge {
public:
    void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void add(double by) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
    double value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<double> value_{0};
};

// How often a value was at most each of some bounds, and the sum of all. Not-a-number is not counted.
class Histogram {
public:
    // The bounds must grow; the one of everything is added.
    explicit Histogram(std::vector<double> bounds);

    void observe(double value) noexcept;

    // A reader may see an observation in its bucket and not yet in the sum: no reader can tell.
    struct Snapshot {
        std::vector<std::uint64_t> at_most{};  // of each bound, and at last of everything
        double sum = 0;
    };
    Snapshot snapshot() const;
    const std::vector<double>& bounds() const { return bounds_; }

private:
    const std::vector<double> bounds_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
    std::atomic<double> sum_{0};
};

// In seconds: from a commit to a long step.
const std::vector<double>& duration_buckets();

// Name and value. The names of one metric are the same in all its series, in the same order.
using Labels = std::vector<std::pair<std::string, std::string>>;

// All functions may be called from any thread. References that it gives live as long as it does.
class Metrics {
public:
    // The series of a metric, made at the first call. A name is belay_runs_total: letters, digits, '_'.
    // Asking for one name as two kinds, or with other label names, is a bug and stops the process.
    Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
    Gauge& gauge(std::string_view name, std::string_view help, const Labels& labels = {});
    Histogram& histogram(std::string_view name, std::string_view help,
                         const std::vector<double>& bounds, const Labels& labels = {});

    // Called before every text, to set gauges whose value is known elsewhere. Must not call text().
    void before_text(std::function<void()> refresh);

    // Everything, sorted by name: the exposition format, version 0.0.4 (kContentType).
    std::string text() const;

    static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

private:
    enum class Kind { Counter, Gauge, Histogram };
    struct Series {
        std::unique_ptr<Counter> counter{};
        std::unique_ptr<Gauge> gauge{};
        std::unique_ptr<Histogram> histogram{};
    };
    struct Family {
        Kind kind{};
        std::string help{};
        std::vector<std::string> label_names{};
        std::map<std::vector<std::string>, Series> series{};  // by label values
    };

    Series& find(Kind kind, std::string_view name, std::string_view help, const Labels& labels);
    static void write(std::string& out, const std::string& name, const Family& family);

    mutable std::mutex mutex_;
    std::map<std::string, Family, std::less<>> families_;
    std::vector<std::function<void()>> refreshers_;
};

}  // namespace belay::base
