// run_views.hpp — the shapes in which runs leave the server, for /openapi.json.
//
// model/run_json.hpp writes them (the CLI's --json is the same text); a test holds every answer
// against these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay::api {

struct RunErrorView {
    std::string code;
    std::string message;
    std::optional<std::string> stage_key;
};
BOOST_DESCRIBE_STRUCT(RunErrorView, (), (code, message, stage_key))

struct ProgressView {
    std::int64_t done;
    std::int64_t total;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ProgressView, (), (done, total, text))

// A run that nothing will get going, and why.
struct StallView {
    std::string reason;  // child_deleted, wait_cycle, no_worker, queue_closed, topic_never_sent, …
    std::string sentence;
    Time since;
};
BOOST_DESCRIBE_STRUCT(StallView, (), (reason, sentence, since))

struct RunSummaryView {
    std::string id;
    std::string workflow_key;
    RunStatus status;
    std::string current_stage;
    std::optional<std::string> organization_id;
    std::optional<std::string> file_id;
    Time created_at;
    Time updated_at;
    std::optional<Time> started_at;
    std::optional<Time> completed_at;
    std::optional<Time> wake_at;
    std::optional<Time> deadline_at;
    std::optional<std::string> parent_id;    // the run it is a child of
    std::optional<std::string> forked_from;  // the run it was forked from
    std::optional<std::string> code_version;
    std::int64_t generation;  // how often it has continued as new
    std::optional<StallView> stalled;
    std::int64_t attempts;
    std::optional<RunErrorView> error;
    std::optional<ProgressView> progress;
    std::string
        state;  // its status; of one that runs: running, retrying, slot or helper (run_states.hpp)
    boost::json::object labels;  // what it can be found by: {"customer": "42"}
};
BOOST_DESCRIBE_STRUCT(RunSummaryView, (),
                      (id, workflow_key, status, current_stage, organization_id, file_id,
                       created_at, updated_at, started_at, completed_at, wake_at, deadline_at,
                       parent_id, forked_from, code_version, generation, stalled, attempts, error,
                       progress, state, labels))

// How many there are of each; what runs is in four of them (run_states.hpp).
struct StateCountsView {
    std::int64_t queued, slot, helper, running, retrying, waiting, paused, succeeded, failed,
        canceled;
};
BOOST_DESCRIBE_STRUCT(StateCountsView, (),
                      (queued, slot, helper, running, retrying, waiting, paused, succeeded, failed,
                       canceled))
struct RunStatesView {
    StateCountsView states;
};
BOOST_DESCRIBE_STRUCT(RunStatesView, (), (states))

struct AttemptView {
    std::int64_t attempt;
    std::optional<Time> started_at;
    std::optional<Time> finished_at;
    std::optional<std::string> error_code;
    std::string message;
    std::optional<std::string> worker;
};
BOOST_DESCRIBE_STRUCT(AttemptView, (),
                      (attempt, started_at, finished_at, error_code, message, worker))

struct StageView {
    std::string stage_key;
    std::int64_t position;
    std::string path;
    std::string kind;
    StageStatus status;
    std::int64_t attempt;
    std::optional<Time> started_at;
    std::optional<Time> finished_at;
    std::optional<std::int64_t> duration_ms;
    std::optional<Time> next_attempt_at;
    std::optional<std::string> message;
    boost::json::value output;
    boost::json::value checkpoint;  // of a step that is not over: where its next attempt begins
    std::vector<AttemptView> failed_attempts;
};
BOOST_DESCRIBE_STRUCT(StageView, (),
                      (stage_key, position, path, kind, status, attempt, started_at, finished_at,
                       duration_ms, next_attempt_at, message, output, checkpoint, failed_attempts))

// A worker that died with the run in its hands.
struct DeathView {
    std::string worker;  // its mark, without the machine
    std::int64_t epoch;
    Time last_seen;
    std::optional<std::string> picked_up_by;  // who took the run since
    std::optional<Time> picked_up_at;
    std::optional<std::string> stage;  // whose code was executing, if it is known
    bool charged;                      // the run's own code was executing: it may be what killed it
    std::string reason;                // signal, killed, unknown
};
BOOST_DESCRIBE_STRUCT(DeathView, (),
                      (worker, epoch, last_seen, picked_up_by, picked_up_at, stage, charged,
                       reason))

// A run that does not succeed takes back what its steps did.
struct UndoingView {
    std::int64_t done;
    std::int64_t of;
    std::optional<std::string> stage_key;  // under way, or next
    RunStatus end;                         // how it then ends
};
BOOST_DESCRIBE_STRUCT(UndoingView, (), (done, of, stage_key, end))

struct RunView : RunSummaryView {
    boost::json::object cost;      // what its steps recorded, added up: {"tokens": 1200, …}
    boost::json::object saved;     // of that, what a checkpoint saved from being paid twice
    boost::json::object children;  // what the runs below it come to: {"runs", "cost", "saved"}
    std::optional<std::string> parent_path;  // the stage there that awaits it
    std::int64_t signals;                    // how often something came that it could wait for
    boost::json::value input;
    boost::json::value result;
    std::vector<StageView> stages;
    std::vector<DeathView> deaths;  // oldest first
    boost::json::object exposed;    // what its code shows of itself, by name
    std::optional<UndoingView> undoing;
};
BOOST_DESCRIBE_STRUCT(RunView, (RunSummaryView),
                      (cost, saved, children, parent_path, signals, input, result, stages, deaths,
                       exposed, undoing))

// What a run answered.
struct AnswerView {
    std::string id;
    std::string name;
    boost::json::value answer;
};
BOOST_DESCRIBE_STRUCT(AnswerView, (), (id, name, answer))

struct WhyView {
    std::string id;
    std::string workflow_key;
    RunStatus status;
    std::string sentence;
    std::string waits_for;
    std::optional<std::string> to_do;
    std::optional<Time> since;
    std::optional<Time> until;
    std::optional<std::string> stage_key;
    std::optional<std::int64_t> attempt;
    std::optional<std::string> last_error;
    std::optional<std::string> worker;
    std::optional<std::string> topic;     // of the message it waits for
    std::optional<std::string> child_id;  // the run it waits for, and how that stands
    std::optional<RunStatus> child_status;
    std::vector<std::string> open_branches;  // of the fan it is in
    std::optional<std::string> stalled;      // the reason
    std::optional<std::string> executor;
};
BOOST_DESCRIBE_STRUCT(WhyView, (),
                      (id, workflow_key, status, sentence, waits_for, to_do, since, until,
                       stage_key, attempt, last_error, worker, topic, child_id, child_status,
                       open_branches, stalled, executor))

// What is asked of a run.
struct ControlBody {
    std::optional<std::string> reason;  // recorded with the run
};
BOOST_DESCRIBE_STRUCT(ControlBody, (), (reason))

// The same of a cancel.
struct CancelBody {
    std::optional<std::string> reason;
    std::optional<bool> undo;  // false: what the run did is left as it is
};
BOOST_DESCRIBE_STRUCT(CancelBody, (), (reason, undo))

struct ControlView {
    std::string id;
    std::string workflow_key;
    RunStatus status;  // now
    std::optional<std::string>
        pending;  // "cancel", "pause": asked of a run whose step is under way
};
BOOST_DESCRIBE_STRUCT(ControlView, (), (id, workflow_key, status, pending))

// A new run that keeps what another recorded before a step.
struct ForkBody {
    std::optional<std::string> from;  // the step to begin at; without it, the one that failed
    std::optional<boost::json::value> input;     // instead of the run's own
    std::optional<boost::json::object> outputs;  // by step: what they shall have returned instead
    std::optional<std::string> id;               // of the new run
};
BOOST_DESCRIBE_STRUCT(ForkBody, (), (from, input, outputs, id))

// A message that a run will read, durably.
struct SentView {
    std::string id;  // the run's
    std::string topic;
};
BOOST_DESCRIBE_STRUCT(SentView, (), (id, topic))

}  // namespace belay::api
