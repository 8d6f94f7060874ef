// runs_list.hpp — `belay runs list`: which runs there are, newest first.
#pragma once

#include <string>

#include "cli/exit_code.hpp"
#include "cli/screen.hpp"
#include "store/store.hpp"

namespace belay::cli {

// `again` is the command line that gives the next page, without its --before.
ExitCode list_runs(store::Store& store, const store::RunFilter& filter, const std::string& again,
                   Time now, const Screen& screen);
ExitCode list_runs_json(store::Store& store, const store::RunFilter& filter, const Screen& screen);

}  // namespace belay::cli
