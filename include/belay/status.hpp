// status.hpp — the states of a run and of a stage run, as words people see.
//
// Which state may follow which is a table in src/core/model/transitions.hpp; SQL, diagram and tests derive
// from it.
#pragma once

#include <optional>
#include <string_view>

namespace belay {

enum class RunStatus { Queued, Running, Waiting, Paused, Succeeded, Failed, Canceled };
enum class StageStatus { Queued, Running, Retrying, Succeeded, Failed, Skipped, Canceled };

// The word used in SQL, JSON, CLI and UI: "queued", "running", …
std::string_view to_string(RunStatus status);
std::string_view to_string(StageStatus status);

// The reverse; nothing for a word that is none of them.
std::optional<RunStatus> run_status(std::string_view word);
std::optional<StageStatus> stage_status(std::string_view word);

// A finished run never changes by itself: only a retry asked for by someone opens it again.
bool is_finished(RunStatus status);
bool is_finished(StageStatus status);

}  // namespace belay
