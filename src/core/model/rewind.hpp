// rewind.hpp — where a retry begins: which records of a run are opened again, and which are
// forgotten.
//
// A retry keeps every success that came before the failure (P1) and runs on from the step that
// failed. What the code recorded after the failure (later stages `skipped`, a `finalize` that wrote
// the failure down) belongs to the attempt that failed: it is forgotten, or the retry would replay
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::model {

// Whether the children of a stage of this kind run side by side: then a later number does not mean
// later in time, and a failed child's siblings keep their records.
bool is_parallel(StageKind kind);

struct Rewind {
    std::vector<std::string> reset_paths;   // to run again: their row stays, with its attempts
    std::vector<std::string> forget_paths;  // to be removed

    friend bool operator==(const Rewind&, const Rewind&) = default;
};

// What a retry does to `stages` when the step at `failed_path` is at fault. In the order of
// `stages`:
//  - forgotten is all that comes after it in sequence, beside it or beside one of its ancestors,
//    but not the other branches of a parallel ancestor;
//  - reset is the failed stage, its ancestors, what did not succeed beneath it or in other branches
//    of a parallel ancestor, and whatever was canceled or still open: a success is never run again.
//    Beneath it the same rules hold for each stage in turn: what is inside a success is kept, failed
//    branches included; of the failures of one sequence only the last is at fault, and what comes
//    after it is forgotten;
//  - kept is the rest, and every mark that is no path ("patch:name").
// An empty `failed_path` means that the workflow's own code threw, or that the run was canceled:
// nothing is forgotten, and only what was canceled or still open is reset.
// With `unreadable`, a success at `failed_path` is at fault because its record cannot be read: it is forgotten, as
// what comes after it is, and what is inside it is judged as if it had failed.
Rewind rewind(const std::vector<Stage>& stages, std::string_view failed_path,
              bool (*parallel)(StageKind) = is_parallel, bool unreadable = false);

// The same for the failure that a run's row has.
Rewind rewind(const std::vector<Stage>& stages, const std::optional<Failure>& failure);

// It is over and did not succeed, or it is paused because today's code cannot read one of its records.
bool may_be_retried(const Run& run);

}  // namespace belay::model
