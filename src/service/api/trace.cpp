#include "service/api/trace.hpp"

#include <belay/trace.hpp>

#include "core/base/limits.hpp"

namespace belay::api {

void add_trace(belay::Labels& labels, const Headers& headers) {
    if (labels.contains(kTraceparentLabel) || headers.count("traceparent") != 1) return;
    // Several of these are one list.
    std::string state;
    for (const auto& [name, value] : headers) {
        if (!same_word(name, "tracestate") || trimmed(value).empty()) continue;
        if (!state.empty()) state += ',';
        state += trimmed(value);
    }
    for (auto& [name, value] : traced_by(trimmed(headers.get("traceparent")), state)) {
        if (labels.size() < base::kLabelsMax) labels.emplace(name, value);
    }
}

}  // namespace belay::api
