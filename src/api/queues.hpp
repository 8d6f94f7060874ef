// queues.hpp — GET /api/queues and GET /api/schedules: where runs wait for their turn, and what starts by the clock.
//
// Read only: a queue serves every organization, so its limits are changed by whoever runs the server (`belay queues`).
// Its numbers are sums; of schedules a caller sees its own (P9).
#pragma once

#include <belay/engine.hpp>

#include "api/route.hpp"

namespace belay::api {

// `engine` outlives the routes.
void add_queue_routes(Routes& routes, belay::detail::EnginePort& engine);

}  // namespace belay::api
