#include "core/base/metrics.hpp"

#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/limits.hpp"

namespace belay::base {
namespace {

TEST(Metrics, a_counter_is_written_with_help_and_kind) {
    Metrics metrics;
    metrics.counter("belay_commits_total", "Commits since the start.").add(3);

    EXPECT_EQ(metrics.text(),
              "# HELP belay_commits_total Commits since the start.\n"
              "# TYPE belay_commits_total counter\n"
              "belay_commits_total 3\n");
}

TEST(Metrics, the_same_series_is_found_again) {
    Metrics metrics;
    Counter& first = metrics.counter("a_total", "A.", {{"kind", "x"}});
    Counter& again = metrics.counter("a_total", "A.", {{"kind", "x"}});
    Counter& other = metrics.counter("a_total", "A.", {{"kind", "y"}});

    EXPECT_EQ(&first, &again);
    EXPECT_NE(&first, &other);
}

TEST(Metrics, families_and_series_are_sorted_and_help_comes_once) {
    Metrics metrics;
    metrics.gauge("b", "B.", {{"q", "two"}}).set(2.5);
    metrics.gauge("b", "B.", {{"q", "one"}}).set(-1);
    metrics.counter("a_total", "A.").add();

    EXPECT_EQ(metrics.text(),
              "# HELP a_total A.\n# TYPE a_total counter\na_total 1\n"
              "# HELP b B.\n# TYPE b gauge\nb{q=\"one\"} -1\nb{q=\"two\"} 2.5\n");
}

TEST(Metrics, what_would_break_the_format_is_escaped) {
    Metrics metrics;
    metrics.gauge("g", "one\ntwo \\ \"three\"", {{"l", "a\"b\\c\nd"}}).set(1);
    metrics.gauge("h", "H.", {{"l", "\xff"}}).set(1);

    EXPECT_EQ(metrics.text(),
              "# HELP g one\\ntwo \\\\ \"three\"\n# TYPE g gauge\ng{l=\"a\\\"b\\\\c\\nd\"} 1\n"
              "# HELP h H.\n# TYPE h gauge\nh{l=\"\uFFFD\"} 1\n");
}

TEST(Metrics, numbers_that_are_none_have_names) {
    Metrics metrics;
    Gauge& gauge = metrics.gauge("g", "G.");
    const auto shown = [&](double value) {
        gauge.set(value);
        const auto text = metrics.text();
        return text.substr(text.rfind(' ') + 1);
    };

    EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "+Inf\n");
    EXPECT_EQ(shown(-std::numeric_limits<double>::infinity()), "-Inf\n");
    EXPECT_EQ(shown(std::numeric_limits<double>::quiet_NaN()), "NaN\n");
    EXPECT_EQ(shown(0.1), "0.1\n");
    EXPECT_EQ(shown(1e21), "1e+21\n");
}

TEST(Metrics, a_histogram_counts_what_is_at_most_each_bound) {
    Metrics metrics;
    Histogram& seconds = metrics.histogram("step_seconds", "S.", {0.1, 1}, {{"w", "X"}});
    for (const double value : {0.05, 0.1, 0.5, 7.0}) seconds.observe(value);
    seconds.observe(std::numeric_limits<double>::quiet_NaN());

    EXPECT_EQ(metrics.text(),
              "# HELP step_seconds S.\n# TYPE step_seconds histogram\n"
              "step_seconds_bucket{w=\"X\",le=\"0.1\"} 2\n"
              "step_seconds_bucket{w=\"X\",le=\"1\"} 3\n"
              "step_seconds_bucket{w=\"X\",le=\"+Inf\"} 4\n"
              "step_seconds_sum{w=\"X\"} 7.65\n"
              "step_seconds_count{w=\"X\"} 4\n");
}

TEST(Metrics, gauges_can_be_set_just_before_they_are_written) {
    Metrics metrics;
    int depth = 7;
    metrics.before_text([&] { metrics.gauge("depth", "D.").set(depth); });

    EXPECT_NE(metrics.text().find("depth 7\n"), std::string::npos);
    depth = 8;
    EXPECT_NE(metrics.text().find("depth 8\n"), std::string::npos);
}

TEST(Metrics, labels_that_never_end_are_counted_together_above_the_bound) {
    Metrics metrics;
    for (std::size_t i = 0; i < kMetricSeriesMax + 50; ++i)
        metrics.counter("runs_total", "R.", {{"id", std::to_string(i)}}).add();

    const auto text = metrics.text();

    EXPECT_NE(text.find("runs_total{id=\"_other\"} 50\n"), std::string::npos);
    EXPECT_NE(text.find("runs_total{id=\"5\"} 1\n"), std::string::npos);
}

TEST(Metrics, threads_count_without_losing_any) {
    Metrics metrics;
    Counter& counter = metrics.counter("c_total", "C.");
    Histogram& histogram = metrics.histogram("h", "H.", duration_buckets());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i) {
                counter.add();
                histogram.observe(0.5);
            }
        });
    }
    for (auto& thread : threads) thread.join();

    EXPECT_EQ(counter.value(), 40'000u);
    EXPECT_EQ(histogram.snapshot().at_most.back(), 40'000u);
    EXPECT_DOUBLE_EQ(histogram.snapshot().sum, 20'000);
}

TEST(MetricsDeathTest, one_name_is_one_kind_with_the_same_labels) {
    Metrics metrics;
    metrics.counter("a_total", "A.", {{"x", "1"}});

    EXPECT_DEATH(metrics.gauge("a_total", "A.", {{"x", "1"}}), "two kinds");
    EXPECT_DEATH(metrics.counter("a_total", "A.", {{"y", "1"}}), "other labels");
    EXPECT_DEATH(metrics.counter("a-b", "A."), "not the name of a metric");
    EXPECT_DEATH(metrics.gauge("g", "G.", {{"le", "1"}}), "not the name of a label");
}

}  // namespace
}  // namespace belay::base
