// own_routes.hpp — what a program puts beside the routes and numbers of every server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <belay/server.hpp>

#include "service/api/metrics.hpp"
#include "service/api/route.hpp"
#include "service/app/program.hpp"

namespace belay::app {

// Throws Error{InvalidArgument} for a route that cannot be: no summary, an unknown method, a path that is not
// /api/… or is Belay's own, no handler or several. `engine` is in whose transactions a POST is done once.
void add_own_route(api::Routes& routes, const HttpRoute& route, belay::detail::EnginePort& engine);

void collect_own(const std::vector<Gauge>& gauges, api::MetricsText& out);
void collect_own(const Metric& metric, api::MetricsText& out);

// GET /api/program: what the page shows of the program, and which of its views there are.
void add_program_route(api::Routes& routes, const Program& program, bool observes);

// What is wrong with the data as a whole, for people, if anything is: `code` is "commits_lost".
struct Warning {
    std::string code{};
    std::string text{};
};
using Warnings = std::function<std::vector<Warning>(const api::Caller&)>;

// GET /api/warnings: what stands above every view of the page until whoever runs the server has dealt with it.
void add_warnings_route(api::Routes& routes, Warnings warnings);

}  // namespace belay::app
