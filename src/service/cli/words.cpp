#include "service/cli/words.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay::cli {

namespace {

constexpr std::size_t kShortErrorChars = 120;

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string duration_text(const std::optional<Time>& from, const std::optional<Time>& to,
                          Time now) {
    if (!from) return "-";
    return base::format_duration(std::max(to.value_or(now) - *from, Duration{0}));
}

std::string clock_text(const std::optional<Time>& time, Time day) {
    if (!time) return "-";
    const std::string text = base::format_time(*time);  // 2026-11-15T20:00:00.000Z
    if (std::chrono::floor<std::chrono::days>(*time) ==
        std::chrono::floor<std::chrono::days>(day)) {
        return text.substr(11, 12);
    }
    return fmt::format("{} {}", text.substr(5, 5), text.substr(11, 8));
}

std::string short_error(const model::Run& run) {
    if (!run.failure) return {};
    std::string text = run.failure->message.substr(0, run.failure->message.find('\n'));
    // "step `ocr` failed after 3 attempts: …": the table has the step in a column of its own.
    const auto colon = text.find(": ");
    if (colon != std::string::npos &&
        text.starts_with(fmt::format("step `{}` failed", run.failure->stage))) {
        text.erase(0, colon + 2);
    }
    return base::truncate(text, kShortErrorChars);
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    double amount = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
    return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& known) {
    std::optional<std::string> best;
    std::size_t best_distance = typed.size() / 3 + 2;  // above it, it is another word
    for (const std::string& word : known) {
        const bool is_beginning = typed.size() >= 2 && word.starts_with(typed);
        const std::size_t distance = is_beginning ? 1 : edit_distance(typed, word);
        if (distance < best_distance) {
            best_distance = distance;
            best = word;
        }
    }
    return best;
}

}  // namespace belay::cli
