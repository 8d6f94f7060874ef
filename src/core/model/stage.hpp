// stage.hpp — the record of a step in a run: one row per stage, its failed attempts beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay::model {

// What kind of position in the workflow's code a record stands for. A replay must find the same kind
// and the same key at the same path.
enum class StageKind { Step, Transaction, Scope, Sleep, Patch, Fan, Child, Receive, Guard };

std::string_view to_string(StageKind kind);  // "step", "transaction", …
std::optional<StageKind> stage_kind(std::string_view word);

struct Stage {
    std::string path{};       // "3", "4.2.1": where in the code; unique in its run
    std::string stage_key{};  // the step's name
    StageKind kind = StageKind::Step;
    StageStatus status = StageStatus::Queued;
    std::int64_t position = 0;  // in the order the stages began; what people see them sorted by
    std::int64_t attempt = 1;   // the attempt this record speaks of
    std::int64_t attempts_before =
        0;  // used up before the run was retried: its policy counts from here
    std::optional<Time> started_at{};  // of the first attempt
    std::optional<Time> finished_at{};
    std::optional<Time>
        next_attempt_at{};     // retrying: when the next attempt begins; sleep: when it ends
    std::string message{};     // the last attempt's failure, or what is worth saying
    std::string error_code{};  // an ErrorCode's name; empty unless an attempt failed
    std::optional<std::string> output{};  // JSON, when succeeded; before that see checkpoint_of()
    std::optional<std::string> cost{};    // JSON as recorded by the step

    friend bool operator==(const Stage&, const Stage&) = default;
};

// A mark stands beside the code's order: its path is no position ("patch:name", "guard:WF1_", "undo:4.2").
inline bool is_mark(const Stage& stage) { return stage.path.find(':') != std::string::npos; }

// What a step that has not succeeded has kept of how far it is (Attempt::checkpoint): its record has that where its
// result will be. Null: nothing.
inline const std::string* checkpoint_of(const Stage& stage) {
    const bool may_have = stage.kind == StageKind::Step && stage.status != StageStatus::Succeeded;
    return may_have && stage.output ? &*stage.output : nullptr;
}

// One attempt that did not succeed (a first attempt that did is told by its stage alone).
struct Attempt {
    std::string path{};
    std::int64_t attempt = 1;
    std::optional<Time> started_at{};
    Time finished_at{};
    std::string error_code{};
    std::string message{};
    std::string worker{};

    friend bool operator==(const Attempt&, const Attempt&) = default;
};

}  // namespace belay::model
