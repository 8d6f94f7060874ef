// trace.hpp — where a run stands in a distributed trace (W3C Trace Context), for programs that ask other servers.
//
//     engine.submit("SELL", order, {.labels = belay::traced_by(request.header("traceparent"))});
//     …
//     Reply ask(const std::string& text) {                         // a step
//         request.set("traceparent", belay::traceparent());        // the span of this attempt
//
// A run's trace is a label of it, `traceparent`: it is kept, forked, listed and searched as labels are. Ids of spans are
// derived from the run, the step's place and the attempt, so that a step that runs again after a crash is the same span.
// docs/observability.md, "Traces".
#pragma once

#include <string>
#include <string_view>

#include <belay/options.hpp>

namespace belay {

class Attempt;

// The labels that say what a run is part of.
inline constexpr const char* kTraceparentLabel = "traceparent";
inline constexpr const char* kTracestateLabel = "tracestate";

// What a request's headers of these names say, as labels of a run that it starts. Nothing for a `traceparent` that is none:
// W3C asks that it be ignored. Of a `tracestate` as many whole entries are kept as a label has room for.
Labels traced_by(std::string_view traceparent, std::string_view tracestate = {});

// What to send with a request as `traceparent`, so that what is done there is shown below the attempt of the step that
// asks: that of the step whose function the calling thread executes. Empty outside of a step, and where nobody traces: the
// run has no such label, none above it has, and this process sends no traces. The first call reads the store.
std::string traceparent();
// And with it, as `tracestate`; may be empty.
std::string tracestate();

// The same for a step that returns an awaitable and goes on on other threads. One that does not has to ask on its own.
std::string traceparent(const Attempt& attempt);
std::string tracestate(const Attempt& attempt);

}  // namespace belay
