#include "core/engine/attempt_trace.hpp"

#include <belay/error.hpp>
#include <belay/trace.hpp>

#include "core/store/trace_of.hpp"

namespace belay::engine {

base::TraceHeaders AttemptTrace::headers() const {
    const std::lock_guard lock(mutex_);
    if (!known_) {
        try {
            known_ = read();
        } catch (const Error&) {
            return {};  // a request goes out without a trace rather than not at all
        }
    }
    return *known_;
}

base::TraceHeaders AttemptTrace::read() const {
    const auto run = store_.find_run(run_);
    if (!run) return {};
    const store::TraceOfRun trace = store::trace_of(store_, *run);
    if (!trace.is_given && !base::are_traces_taken()) return {};
    const std::string span =
        store::attempt_span(*run, attempt_.idempotency_key(), attempt_.number());
    return {base::to_string(base::TraceContext{trace.trace_id, span, trace.sampled}),
            trace.tracestate};
}

}  // namespace belay::engine

namespace belay {

namespace {

// An attempt of an async step says it itself; any other is asked about on its own thread.
base::TraceHeaders headers_of(const Attempt& attempt) {
    const auto& whose = attempt.execution();
    if (whose == nullptr) return base::current_trace();
    return static_cast<const engine::TracedExecution&>(*whose).trace.headers();
}

}  // namespace

std::string traceparent(const Attempt& attempt) { return headers_of(attempt).traceparent; }
std::string tracestate(const Attempt& attempt) { return headers_of(attempt).tracestate; }

}  // namespace belay
