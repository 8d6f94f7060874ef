// runs_list.hpp — `belay runs list`: which runs there are, newest first.
#pragma once

#include <optional>
#include <string>

#include "core/model/why.hpp"
#include "core/store/store.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// `again` is the command line that gives the next page, without its --before.
ExitCode list_runs(store::Store& store, const store::RunFilter& filter, const std::string& again,
                   Time now, const Screen& screen, bool somebody_executes = true);

// One line beneath the list, if runs wait for a process and there is none.
void tell_if_nobody_executes(store::Store& store, const std::optional<model::Executor>& executor,
                             const Screen& screen);

ExitCode list_runs_json(store::Store& store, const store::RunFilter& filter, const Screen& screen,
                        Time now = {}, bool somebody_executes = true);

// Without a process that executes, whatever is due is stalled, and nobody is there to mark it.
void mark_executor_gone(std::vector<model::Run>& runs, Time now);

}  // namespace belay::cli
