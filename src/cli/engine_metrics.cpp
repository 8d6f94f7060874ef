#include "cli/engine_metrics.hpp"

#include <array>

namespace belay::cli {

namespace {

struct Row {
    const char* name;
    const char* help;
    std::atomic<std::int64_t> engine::Counters::*counter;
};

constexpr std::array kRows{
    Row{"belay_commits_total", "Transactions committed.", &engine::Counters::commits},
    Row{"belay_writes_total", "Writes in them.", &engine::Counters::verbs_committed},
    Row{"belay_commits_failed_total", "Transactions that failed, or may have.",
        &engine::Counters::commits_failed},
    Row{"belay_steps_started_total", "Attempts of steps begun.", &engine::Counters::steps_started},
    Row{"belay_steps_replayed_total", "Steps answered from their record.",
        &engine::Counters::steps_replayed},
    Row{"belay_attempts_failed_total", "Attempts of steps that failed.",
        &engine::Counters::attempts_failed},
    Row{"belay_runs_ended_total", "Runs that ended.", &engine::Counters::runs_ended},
    Row{"belay_runs_recovered_total", "Runs taken up after a death.",
        &engine::Counters::runs_recovered},
    Row{"belay_runs_evicted_total", "Runs dropped from memory by a failed commit.",
        &engine::Counters::runs_evicted},
    Row{"belay_writes_fenced_total", "Writes refused by a newer lease.",
        &engine::Counters::writes_fenced},
    Row{"belay_transitions_refused_total", "Changes of state that the table does not allow.",
        &engine::Counters::transitions_refused},
    Row{"belay_late_results_total", "Results of steps that had timed out.",
        &engine::Counters::late_results},
    Row{"belay_loop_blocked_total", "Times that workflow code held up the others.",
        &engine::Counters::loop_blocked},
};

}  // namespace

void collect_engine(engine::Core& core, api::MetricsText& out) {
    const engine::Counters& counters = core.counters();
    for (const Row& row : kRows)
        out.counter(row.name, row.help, static_cast<double>(counters.*row.counter));
    out.gauge("belay_abandoned_threads", "Threads still inside steps that timed out.",
              static_cast<double>(counters.abandoned_now));
    out.gauge("belay_writes_waiting", "Writes that wait for a commit.",
              static_cast<double>(core.verbs_waiting()));
}

}  // namespace belay::cli
