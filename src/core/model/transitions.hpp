// transitions.hpp — which state may follow which, and why.
//
// The stores' conditional updates, the SQL CHECKs, the diagram in ARCHITECTURE.md and the tests derive
// from these two tables. A transition that is not here is refused, counted and logged.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <belay/status.hpp>

namespace belay::model {

struct RunTransition {
    RunStatus from;
    RunStatus to;
    std::string_view why;
};

struct StageTransition {
    StageStatus from;
    StageStatus to;
    std::string_view why;
};

inline constexpr std::array kRunTransitions{
    RunTransition{RunStatus::Queued, RunStatus::Running, "a worker claimed it"},
    RunTransition{RunStatus::Queued, RunStatus::Paused, "someone paused it"},
    RunTransition{RunStatus::Queued, RunStatus::Canceled, "someone canceled it before it began"},
    RunTransition{RunStatus::Queued, RunStatus::Failed, "its on_start hook threw"},
    RunTransition{RunStatus::Running, RunStatus::Running,
                  "its worker died and it was claimed again"},
    RunTransition{RunStatus::Running, RunStatus::Queued, "its worker stopped and put it back"},
    RunTransition{RunStatus::Running, RunStatus::Waiting,
                  "it waits for a timer, a message or a child"},
    RunTransition{RunStatus::Running, RunStatus::Paused,
                  "someone paused it, its code diverged, or it crashed again and again"},
    RunTransition{RunStatus::Running, RunStatus::Succeeded, "its code returned"},
    RunTransition{RunStatus::Running, RunStatus::Failed, "its code threw"},
    RunTransition{RunStatus::Running, RunStatus::Canceled, "someone canceled it"},
    RunTransition{RunStatus::Waiting, RunStatus::Running, "what it waited for came"},
    RunTransition{RunStatus::Waiting, RunStatus::Paused, "someone paused it"},
    RunTransition{RunStatus::Waiting, RunStatus::Canceled, "someone canceled it while it waited"},
    RunTransition{RunStatus::Paused, RunStatus::Queued, "someone resumed it"},
    RunTransition{RunStatus::Paused, RunStatus::Canceled, "someone canceled it"},
    RunTransition{RunStatus::Failed, RunStatus::Queued, "someone asked for a retry"},
    RunTransition{RunStatus::Canceled, RunStatus::Queued, "someone asked for a retry"},
};

// A finished stage has no way out: a retry does not move it on but takes it back, by the rules of
// model/rewind.hpp, and only if it did not succeed.
inline constexpr std::array kStageTransitions{
    StageTransition{StageStatus::Queued, StageStatus::Running, "a thread took it"},
    StageTransition{StageStatus::Queued, StageStatus::Retrying, "its first attempt failed at once"},
    StageTransition{StageStatus::Queued, StageStatus::Succeeded, "it ran between two commits"},
    StageTransition{StageStatus::Queued, StageStatus::Failed, "it failed between two commits"},
    StageTransition{StageStatus::Queued, StageStatus::Skipped, "it is no longer wanted"},
    StageTransition{StageStatus::Queued, StageStatus::Canceled, "its run was canceled"},
    StageTransition{StageStatus::Running, StageStatus::Running,
                    "its worker died and it began again"},
    StageTransition{StageStatus::Running, StageStatus::Retrying,
                    "an attempt failed, more are left"},
    StageTransition{StageStatus::Running, StageStatus::Succeeded, "it returned"},
    StageTransition{StageStatus::Running, StageStatus::Failed, "its last attempt failed"},
    StageTransition{StageStatus::Running, StageStatus::Skipped, "it is no longer wanted"},
    StageTransition{StageStatus::Running, StageStatus::Canceled, "its run was canceled"},
    StageTransition{StageStatus::Retrying, StageStatus::Running, "the next attempt began"},
    StageTransition{StageStatus::Retrying, StageStatus::Retrying, "another attempt failed"},
    StageTransition{StageStatus::Retrying, StageStatus::Succeeded, "an attempt returned"},
    StageTransition{StageStatus::Retrying, StageStatus::Failed, "its last attempt failed"},
    StageTransition{StageStatus::Retrying, StageStatus::Skipped, "it is no longer wanted"},
    StageTransition{StageStatus::Retrying, StageStatus::Canceled, "its run was canceled"},
};

bool may_follow(RunStatus from, RunStatus to);
bool may_follow(StageStatus from, StageStatus to);

// The SQL list of states: "'queued', 'running', …", for CHECK constraints and their test.
std::string sql_list_of_run_statuses();
std::string sql_list_of_stage_statuses();

// The table as a Mermaid state diagram, for ARCHITECTURE.md and its test.
std::string run_diagram();

}  // namespace belay::model
