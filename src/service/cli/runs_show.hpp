// runs_show.hpp — `belay runs show ID`: one run, its stages, and the attempts that failed.
#pragma once

#include "core/store/store.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

ExitCode show_run(store::Store& store, const model::Run& run, Time now, const Screen& screen);
ExitCode show_run_json(store::Store& store, const model::Run& run, const Screen& screen);

}  // namespace belay::cli
