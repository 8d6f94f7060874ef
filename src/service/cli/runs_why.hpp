// runs_why.hpp — `belay runs why ID`: what a run waits for, in one sentence (P6).
#pragma once

#include <optional>
#include <string>

#include "core/model/why.hpp"
#include "core/store/store.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// `option` is repeated in the commands that it suggests.
ExitCode tell_why(store::Store& store, const model::Run& run,
                  const std::optional<model::Executor>& executor, const std::string& option,
                  Time now, const Screen& screen);
ExitCode tell_why_json(store::Store& store, const model::Run& run,
                       const std::optional<model::Executor>& executor, Time now,
                       const Screen& screen);

}  // namespace belay::cli
