// find_run.hpp — the run that a person means by what they typed.
#pragma once

#include <string>

#include "store/store.hpp"

namespace belay::cli {

// What a command's help says of its ID.
inline constexpr const char* kRunIdHelp = "the run's id, or at least 4 characters of its beginning";

// The run of that id, or the only one whose id begins with it; a cut "abc…" as tables show it is fine.
// Throws Error{NotFound} that says what there is instead.
model::Run find_run(store::Store& store, const std::string& typed);

}  // namespace belay::cli
