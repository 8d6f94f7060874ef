// run.hpp — one execution of a workflow, as it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/options.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include "core/base/id.hpp"
#include "core/model/stall.hpp"

namespace belay::model {

// The run's number inside one database: what rows cluster on. Outside the database a run is known by
// its public id, a string.
using RunNo = base::Id<struct RunTag>;

// Why a run did not succeed, or is paused.
struct Failure {
    std::string code{};     // an ErrorCode's name
    std::string message{};  // a sentence for people
    std::string stage{};  // stage key of the step at fault; empty if it was the workflow's own code
    std::string path{};   // and its path: where a retry begins

    friend bool operator==(const Failure&, const Failure&) = default;
};

// Whether a run's steps are undone when it does not succeed.
enum class UndoState {
    None,   // none of them has an undo
    Ready,  // one that has an undo may have happened
    Left,   // someone canceled it and wants what it did left as it is
};

struct Progress {
    std::int64_t done = 0;
    std::int64_t total = 0;
    std::string text{};

    friend bool operator==(const Progress&, const Progress&) = default;
};

// What a caller gives to have a run.
struct NewRun {
    std::string id{};            // public id, unique in the store
    std::string workflow_key{};  // which code
    std::string input{};         // JSON
    std::string organization_id{};
    std::string source_channel{};  // who asked: "api", "web_upload", … ; may be empty
    std::string file_id{};         // the file it is about; may be empty
    std::string content_hash{};    // and that file's content; may be empty
    std::string code_version{};    // of the program that submits
    Time available_at{};           // not claimed before; zero means now
    // The run it is an attached child of, and the stage there that awaits it; none for most. What is
    // asked of a parent (cancel) reaches its attached children.
    RunNo parent{};
    std::string parent_path{};
    std::optional<Time> deadline_at{};  // failed if it is not over by then
    std::string queue{};                // where it waits for its turn; empty: nowhere
    std::int64_t priority = 0;          // in that queue, higher first
    std::string partition{};            // takes turns with others of that queue
    std::string
        dedupe_id{};  // joins an unfinished run of this organization and queue that has the same
    std::string schedule{};  // whose tick it is; empty for most
    // A fork: the run it was made from, and by whose name it draws random numbers, because the records that
    // it keeps were made with those.
    std::string forked_from{};
    std::string seed_id{};
    Labels labels{};  // what it can be found by; rows of their own
};

struct Run {
    RunNo no{};
    std::string id{};
    std::string workflow_key{};
    RunStatus status = RunStatus::Queued;
    std::string current_stage{};  // the last stage written; "queued" before the first
    std::string input{};
    std::optional<std::string> result{};  // JSON, when succeeded
    std::optional<Failure> failure{};     // when failed, canceled or paused
    std::optional<Progress> progress{};
    std::string organization_id{};
    std::string source_channel{};
    std::string file_id{};
    std::string content_hash{};
    std::string code_version{};
    std::string worker{};         // who runs it, or ran it last
    std::int64_t epoch = 0;       // raised by every claim; only the newest may write
    std::int64_t attempts = 1;    // 1 + how often a retry opened it again
    std::int64_t recoveries = 0;  // claims after a death since the last new checkpoint
    std::int64_t charges = 0;     // deaths since then in which its own code was executing
    bool cancel_requested = false;
    bool pause_requested = false;
    std::string request_reason{};   // why it is asked to cancel or pause; empty if it is not
    std::optional<Time> wake_at{};  // queued or waiting: not claimed before
    Time created_at{};
    Time updated_at{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    RunNo parent{};           // as NewRun has it
    std::string parent_id{};  // its public id, as far as it was read
    std::string parent_path{};
    std::optional<Time> deadline_at{};
    // How often something has happened that it could be waiting for: a message came, a child ended.
    std::int64_t signals = 0;
    bool is_awaited = false;  // some run waits for its end
    std::string queue{};      // as NewRun has it, and the next four
    std::int64_t priority = 0;
    std::string partition{};
    std::string dedupe_id{};
    std::string schedule{};
    // In line for a slot of its queue, at this turn: 0 for one that has begun. Nothing: not in line, because
    // it is running, is not due, or has no queue.
    std::optional<std::int64_t> turn{};
    std::int64_t let_in = 0;    // the attempt of the run (`attempts`) that its queue has let begin
    std::string forked_from{};  // as NewRun has it
    std::string seed_id{};
    std::int64_t generation = 0;                   // how often it has continued as new
    std::optional<std::string> continued_input{};  // JSON: what it goes on with since then
    std::optional<Stall> stall{};        // as found last; stall_of() says whether it still holds
    std::optional<std::string> saved{};  // what its checkpoints saved so far (model::Saved as JSON)
    UndoState undo = UndoState::None;
    std::optional<std::string> undo_plan{};  // once it is undone: model::UndoPlan as JSON
};

// What ids and keys that are derived from a run build on: its id, and after a continue_as_new the number of
// its history, so that no two histories share a key.
std::string name_of_history(const Run& run);
// What its random numbers come from.
std::string seed_name(const Run& run);

// Why nothing will get it going; null if something will, or if something has happened since that was found.
const Stall* stall_of(const Run& run);

// The time of a wait that no clock ends: the last second of the year 9999.
inline constexpr Time kNever{std::chrono::milliseconds{253'402'300'799'000}};

}  // namespace belay::model
