// undo.hpp — what a run that does not succeed takes back, and in which order.
//
// The plan is one commit, before the first undo: how the run will end, why, and which steps are undone. Whoever picks
// the run up later goes on with that plan, whatever its code would decide now.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/status.hpp>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::model {

struct UndoneStep {
    std::string path{};
    std::string key{};  // its name

    friend bool operator==(const UndoneStep&, const UndoneStep&) = default;
};

struct UndoPlan {
    RunStatus end = RunStatus::Failed;  // or Canceled
    Failure failure{};
    std::vector<UndoneStep> steps{};  // in the order in which they are undone

    friend bool operator==(const UndoPlan&, const UndoPlan&) = default;
};

std::string to_json(const UndoPlan& plan);
// Throws Error{BadValue}.
UndoPlan read_undo_plan(std::string_view json);

// The stage that undoes the step at `path`: beside the code's order, as a mark is.
std::string undo_path(std::string_view path);
bool is_undo(const Stage& stage);
std::string undone_path(const Stage& undo);  // of the step

// What an undo is there for: a step that succeeded, and, if `of_begun`, one that was begun and has not.
bool is_to_be_undone(const Stage& step, bool of_begun);

// How far a run is with it; nothing if it is not being undone, or is over.
struct UndoProgress {
    std::size_t done = 0;
    std::size_t of = 0;
    RunStatus end = RunStatus::Failed;
    UndoneStep next{};             // under way, or next; empty if all are done
    const Stage* stage = nullptr;  // its record, if there is one; among `stages`
};
std::optional<UndoProgress> undo_progress(const Run& run, const std::vector<Stage>& stages);

// Of the steps that were undone, or whose undo has begun, the one that began first: a fork has to begin at it or
// before. Null: none was.
const Stage* first_undone(const std::vector<Stage>& stages);
// Why a run with a plan is not retried.
std::string why_no_retry(const std::vector<Stage>& stages);

}  // namespace belay::model
