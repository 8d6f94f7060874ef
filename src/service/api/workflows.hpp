// workflows.hpp — GET /api/workflows[/{key}]: what there is and how it does; POST /api/workflows/{key}/runs.
//
// What a workflow says of itself is the same for every organization; how its runs do is counted over the caller's
// own (P9).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <belay/detail/riding_port.hpp>

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
    belay::detail::RidingPort& engine;  // admits it, and begins it
};

void add_workflow_routes(Routes& routes, WorkflowsParts parts);

}  // namespace belay::api
