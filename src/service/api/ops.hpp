// ops.hpp — /healthz, /readyz, /metrics, /openapi.json and the row of /api/live.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/store/store.hpp"
#include "service/api/metrics.hpp"
#include "service/api/route.hpp"

namespace belay::api {

struct OpsParts {
    store::Store& store;
    Metrics& metrics;
    std::string version{};
    // Why no work can be taken now; nothing if it can. May be null.
    std::function<std::optional<std::string>()> not_ready{};
    bool live = false;               // there is a feed
    std::string own_organization{};  // the server's: its tokens see the numbers of all
};

// `routes` is described by /openapi.json as it stands when that is asked for: it must outlive itself
// where it is.
void add_ops_routes(Routes& routes, OpsParts parts);

// The numbers of runs by status.
void collect_run_counts(store::Store& store, MetricsText& out);

}  // namespace belay::api
