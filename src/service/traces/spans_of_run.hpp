// spans_of_run.hpp — the spans of a run that has ended, made from its rows.
//
// One for the run, one for each stage, one for each attempt of a step. Rows and not code: however often a run was
// replayed, it has the spans that its records tell of, under the same ids (core/store/trace_of.hpp).
#pragma once

#include <optional>
#include <vector>

#include "core/store/store.hpp"
#include "service/traces/span.hpp"

namespace belay::traces {

struct RunToTell {
    const model::Run& run;
    // Its end before this one, if a retry has opened it again: what had ended by then was told with that.
    std::optional<Time> told_until{};
    bool keeps_messages = false;  // its failures' messages are not to be told
};

// Nothing for a run whose trace is not sampled. Reads the store; blocks, and throws as that does.
std::vector<Span> spans_of(store::Store& store, const RunToTell& told);

}  // namespace belay::traces
