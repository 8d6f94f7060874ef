#include "service/api/metrics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace belay::api {

namespace {

std::string escaped(std::string_view value) {
    std::string out;
    for (const char c : value) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

std::string label_text(const Labels& labels) {
    if (labels.empty()) return {};
    std::string text = "{";
    for (const auto& [name, value] : labels)
        text += fmt::format("{}{}=\"{}\"", text.size() == 1 ? "" : ",", name, escaped(value));
    return text + "}";
}

}  // namespace

void Histogram::observe(double seconds) {
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
    ++counts_[static_cast<std::size_t>(bucket - kBounds.begin())];
    sum_us_ += static_cast<std::int64_t>(seconds * 1e6);
}

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsText::sample(std::string_view name, const Labels& labels, double value) {
    text_ += fmt::format("{}{} {}\n", name, label_text(labels), value);
}

void MetricsText::gauge(std::string_view name, std::string_view help, double value) {
    family(name, "gauge", help);
    sample(name, {}, value);
}

void MetricsText::counter(std::string_view name, std::string_view help, double value) {
    family(name, "counter", help);
    sample(name, {}, value);
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
    const std::lock_guard lock(mutex_);
    auto& family = counters_.try_emplace(std::string(name), Family<Counter>{std::string(help), {}})
                       .first->second;
    auto& member = family.members[labels];
    if (!member) member = std::make_unique<Counter>();
    return *member;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, const Labels& labels) {
    const std::lock_guard lock(mutex_);
    auto& family =
        histograms_.try_emplace(std::string(name), Family<Histogram>{std::string(help), {}})
            .first->second;
    auto& member = family.members[labels];
    if (!member) member = std::make_unique<Histogram>();
    return *member;
}

void Metrics::collect(std::function<void(MetricsText&)> collector) {
    const std::lock_guard lock(mutex_);
    collectors_.push_back(std::move(collector));
}

std::string Metrics::text() {
    MetricsText out;
    // Collectors read a database: not under the lock that requests count with.
    std::vector<std::function<void(MetricsText&)>> collectors;
    {
        const std::lock_guard lock(mutex_);
        collectors = collectors_;
        for (const auto& [name, family] : counters_) {
            out.family(name, "counter", family.help);
            for (const auto& [labels, counter] : family.members)
                out.sample(name, labels, static_cast<double>(counter->value()));
        }
        for (const auto& [name, family] : histograms_) {
            out.family(name, "histogram", family.help);
            for (const auto& [labels, histogram] : family.members) {
                std::int64_t total = 0;
                for (std::size_t i = 0; i < histogram->counts_.size(); ++i) {
                    total += histogram->counts_[i];
                    Labels with = labels;
                    with.emplace_back("le", i < Histogram::kBounds.size()
                                                ? fmt::format("{}", Histogram::kBounds[i])
                                                : "+Inf");
                    out.sample(name + "_bucket", with, static_cast<double>(total));
                }
                out.sample(name + "_sum", labels, static_cast<double>(histogram->sum_us_) / 1e6);
                out.sample(name + "_count", labels, static_cast<double>(total));
            }
        }
    }
    for (const auto& collector : collectors) collector(out);
    return out.take();
}

}  // namespace belay::api
