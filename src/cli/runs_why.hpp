// runs_why.hpp — `belay runs why ID`: what a run waits for, in one sentence (P6).
#pragma once

#include <optional>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/screen.hpp"
#include "model/why.hpp"
#include "store/store.hpp"

namespace belay::cli {

// `option` is repeated in the commands that it suggests.
ExitCode tell_why(store::Store& store, const model::Run& run,
                  const std::optional<model::Executor>& executor, const std::string& option,
                  Time now, const Screen& screen);
ExitCode tell_why_json(store::Store& store, const model::Run& run,
                       const std::optional<model::Executor>& executor, Time now,
                       const Screen& screen);

}  // namespace belay::cli
