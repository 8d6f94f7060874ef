// trace_of.hpp — where a run stands in a distributed trace, read from its rows: never written, and so the same in every
// process and after every crash.
//
// A run's trace is what its label `traceparent` says (belay/trace.hpp); without one it is its parent's, as a child of the
// stage that awaits it; and a run that nobody is above of has one of its own, made from its id and the time of its
// submission. So nothing is kept for runs that were not given a trace, and a child costs nothing more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/trace_context.hpp"
#include "core/model/run.hpp"
#include "core/store/store.hpp"

namespace belay::store {

struct TraceOfRun {
    std::string trace_id{};
    std::string parent_span{};  // empty: the run is the trace's root
    std::string tracestate{};
    bool sampled = true;
    bool is_remote = false;  // the parent is no span of this store's
    bool is_given = false;   // it, or one above it, has the label
};

// Blocks, and throws as the store's reads do. A label that is no traceparent counts as none.
TraceOfRun trace_of(Store& store, const model::Run& run);

// The ids of a run's spans, by what its rows say. A run that a retry has opened again is another span, and so are its
// stages and attempts; an attempt's is made of its idempotency key (Attempt::idempotency_key) and number, which its code
// knows, too.
std::string run_span(const model::Run& run);
std::string run_span(std::string_view id, std::int64_t attempt);
std::string stage_span(const model::Run& run, std::string_view path);
std::string attempt_span(const model::Run& run, std::string_view idempotency_key,
                         std::int64_t attempt);

}  // namespace belay::store
