#include "core/store/trace_of.hpp"

#include <fmt/format.h>

#include <belay/trace.hpp>

namespace belay::store {

namespace {

// As deep as children of children are followed: a chain that leads back to itself cannot be, and ends here all the same.
constexpr int kFamilyDepthMax = 1000;

// As the label says it; false if it has none that is one.
bool is_given(Store& store, const model::Run& run, TraceOfRun& trace) {
    const LabelsOfRuns all = store.labels({run.no});
    const auto of = all.find(run.no);
    if (of == all.end()) return false;
    const auto found = of->second.find(kTraceparentLabel);
    if (found == of->second.end()) return false;
    const auto context = base::parse_traceparent(found->second);
    if (!context) return false;
    trace.trace_id = context->trace_id;
    trace.sampled = context->sampled;
    trace.is_given = true;
    if (trace.parent_span.empty()) {
        trace.parent_span = context->span_id;
        trace.is_remote = true;
    }
    if (const auto state = of->second.find(kTracestateLabel); state != of->second.end())
        trace.tracestate = state->second;
    return true;
}

}  // namespace

TraceOfRun trace_of(Store& store, const model::Run& run) {
    TraceOfRun trace;
    model::Run at = run;
    for (int depth = 0; depth < kFamilyDepthMax; ++depth) {
        if (is_given(store, at, trace)) return trace;
        if (!at.parent) break;
        auto above = store.find_run(at.parent);
        if (!above) break;  // deleted since: what is below it is a trace of its own
        if (trace.parent_span.empty()) trace.parent_span = stage_span(*above, at.parent_path);
        at = std::move(*above);
    }
    trace.trace_id = base::trace_id_of(
        fmt::format("trace\n{}\n{}", at.id, at.created_at.time_since_epoch().count()));
    return trace;
}

std::string run_span(std::string_view id, std::int64_t attempt) {
    return base::span_id_of(fmt::format("run\n{}\n{}", id, attempt));
}
std::string run_span(const model::Run& run) { return run_span(run.id, run.attempts); }

std::string stage_span(const model::Run& run, std::string_view path) {
    return base::span_id_of(
        fmt::format("stage\n{}\n{}\n{}", name_of_history(run), run.attempts, path));
}

std::string attempt_span(const model::Run& run, std::string_view idempotency_key,
                         std::int64_t attempt) {
    return base::span_id_of(
        fmt::format("attempt\n{}\n{}\n{}", idempotency_key, run.attempts, attempt));
}

}  // namespace belay::store
