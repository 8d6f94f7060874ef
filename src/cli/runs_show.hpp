// runs_show.hpp — `belay runs show ID`: one run, its stages, and the attempts that failed.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/screen.hpp"
#include "store/store.hpp"

namespace belay::cli {

ExitCode show_run(store::Store& store, const model::Run& run, Time now, const Screen& screen);
ExitCode show_run_json(store::Store& store, const model::Run& run, const Screen& screen);

}  // namespace belay::cli
