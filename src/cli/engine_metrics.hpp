// engine_metrics.hpp — the engine's counters as Prometheus reads them.
#pragma once

#include "api/metrics.hpp"
#include "engine/core.hpp"

namespace belay::cli {

void collect_engine(engine::Core& core, api::MetricsText& out);

}  // namespace belay::cli
