#include "service/cli/engine_metrics.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

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
    Row{"belay_steps_succeeded_total", "Steps recorded as succeeded.",
        &engine::Counters::steps_succeeded},
    Row{"belay_attempts_retried_total", "Failed attempts that were followed by another.",
        &engine::Counters::attempts_retried},
    Row{"belay_steps_cached_total", "Steps answered by another run's answer.",
        &engine::Counters::steps_cached},
    Row{"belay_runs_submitted_total", "Runs that came to be by a submission from outside.",
        &engine::Counters::runs_submitted},
    Row{"belay_runs_deleted_total", "Runs that were over and went.",
        &engine::Counters::runs_deleted},
    Row{"belay_bodies_lost_total", "Transactions and hooks that met a failure of the store.",
        &engine::Counters::bodies_lost},
    Row{"belay_runs_parked_total", "Waiting runs that left memory.",
        &engine::Counters::runs_parked},
    Row{"belay_loop_blocked_total", "Times that workflow code held up the others.",
        &engine::Counters::loop_blocked},
};

void write_histogram(api::MetricsText& out, const std::string& name, std::string_view help,
                     const base::Histogram& histogram) {
    out.family(name, "histogram", help);
    const auto seen = histogram.snapshot();
    const auto& bounds = histogram.bounds();
    for (std::size_t i = 0; i < seen.at_most.size(); ++i) {
        const std::string bound = i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf";
        out.sample(name + "_bucket", {{"le", bound}}, static_cast<double>(seen.at_most[i]));
    }
    out.sample(name + "_sum", {}, seen.sum);
    out.sample(name + "_count", {}, static_cast<double>(seen.at_most.back()));
}

}  // namespace

void collect_engine(engine::Core& core, api::MetricsText& out) {
    const engine::Counters& counters = core.counters();
    for (const Row& row : kRows)
        out.counter(row.name, row.help, static_cast<double>(counters.*row.counter));
    out.gauge("belay_abandoned_threads", "Threads still inside steps that timed out.",
              static_cast<double>(counters.abandoned_now));
    write_histogram(out, "belay_commit_seconds", "How long commits took.", counters.commit_seconds);
    write_histogram(out, "belay_commit_writes", "How many writes a commit had.",
                    counters.batch_writes);
    out.gauge("belay_writes_waiting", "Writes that wait for a commit.",
              static_cast<double>(core.verbs_waiting()));
}

}  // namespace belay::cli
