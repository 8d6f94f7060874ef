// operations.hpp — what whoever runs a server looks at and turns: queues, schedules, budgets, workers, how much was done
// and how fast, what failed and why.
//
// Queues and workers serve every organization. All callers see that they exist and what limits they have; how many
// runs they hold is counted over the caller's own (P9), for the server's own organization over all, and only that one
// may change a queue. Schedules, activity and failures are the caller's own.
#pragma once

#include <functional>
#include <string>

#include <belay/detail/riding_port.hpp>
#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "core/model/run.hpp"
#include "core/store/store.hpp"
#include "service/api/route.hpp"

namespace belay::api {

// What the handlers stand on; all of it outlives the routes.
struct OperationsParts {
    store::Store& store;                // reads
    belay::detail::RidingPort& engine;  // changes
    const env::Clock& clock;
    std::string own_organization{};  // the server's: it may change what all share
    // Whether the program declared the schedule of that name itself: its runs are the program's own. Those of others
    // come from outside, and so do all of them without this.
    std::function<bool(const std::string& name)> is_declared{};
    // Where others execute: has them begin a run of a schedule (model::Trigger) and gives its id.
    std::function<std::string(const std::string& name, const std::string& mark)> trigger_there{};
};

// All of the below.
void add_operations_routes(Routes& routes, const OperationsParts& parts);

void add_queue_routes(Routes& routes, const OperationsParts& parts);     // /api/queues
void add_schedule_routes(Routes& routes, const OperationsParts& parts);  // /api/schedules
void add_budget_routes(Routes& routes, const OperationsParts& parts);    // /api/budgets, approve
void add_activity_routes(Routes& routes,
                         const OperationsParts& parts);  // /api/activity, /api/workers
void add_failure_routes(Routes& routes, const OperationsParts& parts);  // /api/failures

// The same for failures with one cause: runs of one workflow that failed in the same stage with the same code, and
// with messages that differ only in numbers, ids and quoted names.
std::string cause_of(const model::Run& run);

}  // namespace belay::api
