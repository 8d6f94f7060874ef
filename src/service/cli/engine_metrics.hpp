// engine_metrics.hpp — the engine's counters as Prometheus reads them.
#pragma once

#include "core/library/host.hpp"
#include "service/api/metrics.hpp"

namespace belay::cli {

void collect_engine(engine::Core& core, api::MetricsText& out);

}  // namespace belay::cli
