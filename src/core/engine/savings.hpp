// savings.hpp — what a run's checkpoints saved it each time it was picked up after a death or a retry.
#pragma once

#include <vector>

#include "core/engine/services.hpp"
#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::engine {

// Adds what the recorded steps took and cost to the run's `saved`, if this pick-up is one after a death or a
// retry: they will not be run and paid again. Rides along with the next commit; nobody waits for it.
void note_saved(Services& services, const model::Run& run,
                const std::vector<model::Stage>& history);

}  // namespace belay::engine
