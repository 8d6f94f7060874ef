#include "service/cli/progress_bar.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/base/text.hpp"

namespace belay::cli {

std::string progress_line(std::size_t done, std::size_t all, Duration since) {
    constexpr std::size_t kWidth = 24;
    const std::size_t full = all == 0 ? kWidth : done * kWidth / all;
    std::string line = fmt::format("[{}{}]  {} of {}", std::string(full, '#'),
                                   std::string(kWidth - full, '-'), done, all);
    const double seconds = static_cast<double>(since.count()) / 1000.0;
    if (done == 0 || seconds <= 0) return line;
    const double rate = static_cast<double>(done) / seconds;
    line += fmt::format("  {:.1f}/s", rate);
    if (done < all) {
        const double left = static_cast<double>(all - done) / rate;
        line += fmt::format("  {} left",
                            base::format_duration(std::chrono::seconds{
                                std::max<std::int64_t>(1, static_cast<std::int64_t>(left))}));
    }
    return line;
}

ProgressBar::ProgressBar(std::ostream& out, const env::Clock& clock, std::size_t all, bool shown)
    : out_(out), clock_(clock), since_(clock.now()), all_(all), shown_(shown) {}

void ProgressBar::show(std::size_t done) {
    if (!shown_) return;
    out_ << "\r\x1b[K" << progress_line(done, all_, clock_.now() - since_) << std::flush;
    there_ = true;
}

void ProgressBar::clear() {
    if (there_) out_ << "\r\x1b[K" << std::flush;
    there_ = false;
}

}  // namespace belay::cli
