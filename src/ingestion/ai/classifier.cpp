#include "ingestion/ai/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/utf8.hpp"

namespace belay::ai {
namespace {

[[noreturn]] void refuse(const Classification& answer, const std::string& why) {
    throw std::runtime_error(fmt::format("{} gave no usable answer: {}", answer.model, why));
}

}  // namespace

Classification validated(Classification answer, int top) {
    if (answer.labels.empty()) refuse(answer, "it is empty");
    for (const auto& label : answer.labels) {
        if (label.label.empty() || !base::is_utf8(label.label))
            refuse(answer, "a label has no readable name");
        // Rounding on the way may pass 1 by a hair.
        if (!std::isfinite(label.score) || label.score < 0 || label.score > 1.000001) {
            refuse(answer, fmt::format("the score of '{}' is {}", label.label, label.score));
        }
    }
    std::stable_sort(answer.labels.begin(), answer.labels.end(),
                     [](const Label& a, const Label& b) { return a.score > b.score; });
    const auto wanted = static_cast<std::size_t>(std::max(top, 1));
    if (answer.labels.size() > wanted) answer.labels.resize(wanted);
    for (auto& label : answer.labels) label.score = std::min(label.score, 1.0);
    return answer;
}

}  // namespace belay::ai
