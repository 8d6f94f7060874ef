// runs_bulk.hpp — one thing asked of every run that is like that: cancel, pause, resume, retry or fork.
//
// Newest first, in small batches, by the process that executes or, if there is none, here with its lock held.
// A run that cannot be asked any more is counted and stops nobody.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <belay/control.hpp>

#include "core/store/store.hpp"
#include "service/cli/command.hpp"
#include "service/cli/run_filter.hpp"

namespace belay::cli {

struct Bulk {
    std::optional<store::ControlKind> kind{};  // nothing: a fork
    std::string reason{};
    ForkOptions fork{};
    store::RunFilter filter{};
};

std::string_view word_of(const Bulk& bulk);  // "cancel", …, "fork"

// How many runs it would be about, by state, and the first of them.
struct BulkCount {
    std::int64_t runs = 0;
    std::vector<std::string> first{};
};
BulkCount count_bulk(store::Store& store, const Bulk& bulk);

struct BulkOutcome {
    std::int64_t done = 0;
    std::vector<std::pair<std::string, std::string>> refused{};  // id and why
    std::int64_t unanswered = 0;
};

// On a store that executes.
BulkOutcome bulk_here(store::Store& store, const Bulk& bulk, Time now);
// On a store that does not: asks, and waits for the answers of each batch for about `at_most`.
BulkOutcome bulk_by_asking(store::Store& store, const Bulk& bulk, Time now, Duration at_most,
                           const std::function<void(Duration)>& nap);

// The command: counts, or acts and tells.
ExitCode run_bulk(Session& session, const Bulk& bulk, bool dry_run, Duration at_most);

// A fork made here, with no process to ask; gives the new run's id. `id` is derived if the options have none. Throws
// Error{InputMismatch} if a run of that id exists.
std::string fork_here(store::Store& store, const std::string& run_id, const ForkOptions& options,
                      Time now);

}  // namespace belay::cli
