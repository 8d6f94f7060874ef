// why_of.hpp — what a run waits for, with everything that model::why wants to know read from its store.
#pragma once

#include <optional>

#include "core/model/why.hpp"
#include "core/store/store.hpp"

namespace belay::store {

// `executor` is nothing when no process executes on the store.
model::Why why_of(Store& store, const model::Run& run,
                  const std::optional<model::Executor>& executor, Time now);

}  // namespace belay::store
