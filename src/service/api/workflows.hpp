// workflows.hpp — GET /api/workflows[/{key}]: what there is and how it does; POST /api/workflows/{key}/runs.
//
// What a workflow says of itself is the same for every organization; how its runs do is counted over the caller's
// own (P9).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "core/model/definition.hpp"
#include "core/store/store.hpp"
#include "service/api/route.hpp"

namespace belay::api {

// What the handlers stand on; all of it outlives the routes.
struct WorkflowsParts {
    store::Store& store;  // reads
    const env::Clock& clock;
    // By key; of each workflow the version that started last comes first.
    std::function<std::vector<model::Definition>()> definitions;
    // Whether somebody outside may start such a run: gives it the id under which it is kept. Throws Error:
    // {NotFound} for a workflow that is not to be started so, {BadValue} naming the place in the input,
    // {InvalidArgument} with what its `admit` says.
    std::function<void(belay::detail::Submission&)> admit;
    belay::detail::EnginePort& engine;  // in whose transaction it begins
};

void add_workflow_routes(Routes& routes, WorkflowsParts parts);

}  // namespace belay::api
