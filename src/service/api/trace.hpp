// trace.hpp — a request's `traceparent`, as labels of the run that it starts (belay/trace.hpp).
#pragma once

#include <belay/options.hpp>

#include "service/api/headers.hpp"

namespace belay::api {

// Adds them, unless the labels have them already or are full. Headers that are no trace context, or come twice, are as if
// they were not there: W3C asks that a request is never refused for them.
void add_trace(belay::Labels& labels, const Headers& headers);

}  // namespace belay::api
