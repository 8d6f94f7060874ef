// find_run.hpp — the run that a person means by what they typed.
#pragma once

#include <string>
#include <vector>

#include "core/store/store.hpp"

namespace belay::cli {

// What a command's help says of its ID.
inline constexpr const char* kRunIdHelp = "the run's id, or at least 4 characters of its beginning";

// The run of that id, or the only one whose id begins with it; a cut "abc…" as tables show it is fine.
// Throws Error{NotFound} that says what there is instead.
model::Run find_run(store::Store& store, const std::string& typed);

// The run that a caller of that organization calls so, or the id that one would be kept under (core/engine/outside.hpp).
std::string kept_run_id(store::Store& store, const std::string& organization_id,
                        const std::string& called);

// What was typed, without the sign that tables cut with.
std::string without_cut(const std::string& typed);

// The one id of `found`, which all begin so; throws as find_run does. `where` is what was looked for and in what.
std::string only_run_of(const std::string& beginning, const std::vector<std::string>& found,
                        const std::string& where);

}  // namespace belay::cli
