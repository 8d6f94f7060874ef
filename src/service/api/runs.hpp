// runs.hpp — GET /api/runs, /api/run-states, /api/runs/{id}, /api/runs/{id}/why; POST …/{cancel|pause|resume|retry|fork}
// and …/messages/{topic}.
//
// A run of another organization is not found (P9): not even that it exists is told.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <belay/detail/riding_port.hpp>

#include "core/env/clock.hpp"
#include "core/model/run.hpp"
#include "core/model/why.hpp"
#include "core/store/store.hpp"
#include "service/api/route.hpp"
#include "service/api/run_states.hpp"

namespace belay::api {

// What the handlers stand on; all of it outlives the routes.
struct RunsParts {
    store::Store& store;                // reads
    belay::detail::RidingPort& engine;  // changes
    const env::Clock& clock;
    model::Executor executor{};  // this process, as `why` names it
    std::string own_organization = EngineOptions{}.organization_id;  // the server's: it sees hosts
    // The same where it may be another one the next time; null: it may not.
    std::function<model::Executor()> executor_now{};
    // What people are told to type, with the name of the program that serves.
    std::function<std::string(std::string_view)> in_own_words{};
    WaitingOutside waiting_outside{};
};

void add_run_routes(Routes& routes, RunsParts parts);

// The run that the caller calls so (model/chosen_id.hpp), if it belongs to it. Throws ApiError{not_found}. For every handler that
// is given a run's id.
model::Run run_of(store::Store& store, const Caller& caller, const std::string& id);

}  // namespace belay::api
