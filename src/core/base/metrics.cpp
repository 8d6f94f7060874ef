#include "core/base/metrics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"

namespace belay::base {

namespace {

bool is_name(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

// Backslash and line end; in label values the quote too.
std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\n')
            out += "\\n";
        else if (c == '"' && quotes)
            out += "\\\"";
        else
            out += c;
    }
    return out;
}

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

// {name="value",…}, nothing if there are none. `le` is the label that a histogram's buckets add.
std::string labels_text(const std::vector<std::string>& names,
                        const std::vector<std::string>& values, std::string_view le = {}) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < names.size(); ++i)
        parts.push_back(fmt::format("{}=\"{}\"", names[i], escaped(values[i], true)));
    if (!le.empty()) parts.push_back(fmt::format("le=\"{}\"", le));
    return parts.empty() ? "" : fmt::format("{{{}}}", fmt::join(parts, ","));
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)),
      counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
    BELAY_ASSERT(std::is_sorted(bounds_.begin(), bounds_.end(), std::less_equal<>{}),
                 "the bounds of a histogram must grow");
}

void Histogram::observe(double value) noexcept {
    if (std::isnan(value)) return;
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::snapshot() const {
    Snapshot out;
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
        so_far += counts_[i].load(std::memory_order_relaxed);
        out.at_most.push_back(so_far);
    }
    out.sum = sum_.load(std::memory_order_relaxed);
    return out;
}

const std::vector<double>& duration_buckets() {
    static const std::vector<double> kBuckets{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                              0.05,   0.1,   0.25,   0.5,   1,    2.5,
                                              5,      10,    30,     60,    300,  1800};
    return kBuckets;
}

Metrics::Series& Metrics::find(Kind kind, std::string_view name, std::string_view help,
                               const Labels& labels) {
    BELAY_ASSERT(is_name(name), "`{}` is not the name of a metric", name);
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& [label, value] : labels) {
        BELAY_ASSERT(is_name(label) && label != "le", "`{}` is not the name of a label", label);
        names.push_back(label);
        values.push_back(truncate(to_valid_utf8(value), kMetricLabelCharsMax));
    }
    auto found = families_.find(name);
    if (found == families_.end()) {
        found = families_.emplace(std::string{name}, Family{}).first;
        found->second.kind = kind;
        found->second.help = help;
        found->second.label_names = names;
    }
    Family& family = found->second;
    BELAY_ASSERT(family.kind == kind && family.label_names == names,
                 "the metric {} is used as two kinds, or with other labels than at first", name);
    if (!family.series.contains(values) && family.series.size() >= kMetricSeriesMax)
        values.assign(names.size(), "_other");
    return family.series[std::move(values)];
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
    const std::lock_guard lock{mutex_};
    Series& series = find(Kind::Counter, name, help, labels);
    if (!series.counter) series.counter = std::make_unique<Counter>();
    return *series.counter;
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, const Labels& labels) {
    const std::lock_guard lock{mutex_};
    Series& series = find(Kind::Gauge, name, help, labels);
    if (!series.gauge) series.gauge = std::make_unique<Gauge>();
    return *series.gauge;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help,
                              const std::vector<double>& bounds, const Labels& labels) {
    const std::lock_guard lock{mutex_};
    Series& series = find(Kind::Histogram, name, help, labels);
    if (!series.histogram) series.histogram = std::make_unique<Histogram>(bounds);
    BELAY_ASSERT(series.histogram->bounds() == bounds, "the metric {} has other bounds", name);
    return *series.histogram;
}

void Metrics::before_text(std::function<void()> refresh) {
    const std::lock_guard lock{mutex_};
    refreshers_.push_back(std::move(refresh));
}

void Metrics::write(std::string& out, const std::string& name, const Family& family) {
    constexpr std::string_view kKinds[]{"counter", "gauge", "histogram"};
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(family.help, false), name,
                       kKinds[static_cast<int>(family.kind)]);
    for (const auto& [values, series] : family.series) {
        const std::string labels = labels_text(family.label_names, values);
        if (series.counter) out += fmt::format("{}{} {}\n", name, labels, series.counter->value());
        if (series.gauge)
            out += fmt::format("{}{} {}\n", name, labels, number(series.gauge->value()));
        if (!series.histogram) continue;
        const auto& bounds = series.histogram->bounds();
        const auto snapshot = series.histogram->snapshot();
        for (std::size_t i = 0; i <= bounds.size(); ++i) {
            const std::string le = i < bounds.size() ? number(bounds[i]) : "+Inf";
            out += fmt::format("{}_bucket{} {}\n", name,
                               labels_text(family.label_names, values, le), snapshot.at_most[i]);
        }
        out += fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, labels, number(snapshot.sum), name,
                           labels, snapshot.at_most.back());
    }
}

std::string Metrics::text() const {
    std::vector<std::function<void()>> refreshers;
    {
        const std::lock_guard lock{mutex_};
        refreshers = refreshers_;
    }
    // Without the lock: they look for their gauges.
    for (const auto& refresh : refreshers) refresh();
    const std::lock_guard lock{mutex_};
    std::string out;
    for (const auto& [name, family] : families_) write(out, name, family);
    return out;
}

}  // namespace belay::base
