#include "service/api/metrics.hpp"

#include <gtest/gtest.h>

namespace belay::api {
namespace {

TEST(Metrics, counters_histograms_and_collected_values_are_written_as_prometheus_reads_them) {
    Metrics metrics;
    metrics.counter("belay_requests_total", "Requests.", {{"method", "GET"}}).add(2);
    metrics.counter("belay_requests_total", "Requests.", {{"method", "GET"}}).add();
    metrics.histogram("belay_seconds", "Time.").observe(0.02);
    metrics.histogram("belay_seconds", "Time.").observe(1000);
    metrics.collect([](MetricsText& out) { out.gauge("belay_runs", "Runs \"now\".", 7); });

    const std::string text = metrics.text();

    EXPECT_NE(
        text.find("# TYPE belay_requests_total counter\nbelay_requests_total{method=\"GET\"} 3\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("belay_seconds_bucket{le=\"0.01\"} 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("belay_seconds_bucket{le=\"0.05\"} 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("belay_seconds_bucket{le=\"+Inf\"} 2\n"), std::string::npos) << text;
    EXPECT_NE(text.find("belay_seconds_count 2\n"), std::string::npos) << text;
    EXPECT_NE(text.find("belay_runs 7\n"), std::string::npos) << text;
}

TEST(Metrics, a_label_cannot_break_out_of_its_quotes) {
    Metrics metrics;
    metrics.counter("x", "X.", {{"name", "a\"b\\c\nd"}}).add();

    EXPECT_NE(metrics.text().find(R"(x{name="a\"b\\c\nd"} 1)"), std::string::npos);
}

}  // namespace
}  // namespace belay::api
