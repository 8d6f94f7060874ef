// batch.hpp — the verbs that write, and the batch they commit in.
//
// Everything that changes a store is one of these verbs. A batch is one transaction; each verb gets
// an outcome of its own, written into the verb, so that one lost lease or one failing body never
// hurts its neighbours. A verb that speaks for a run carries its Lease: the store checks the epoch
// in the same transaction and answers Fenced if a newer one exists (P5).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/model/budget.hpp"
#include "core/model/death.hpp"
#include "core/model/message.hpp"
#include "core/model/queue.hpp"
#include "core/model/run.hpp"
#include "core/model/said.hpp"
#include "core/model/schedule.hpp"
#include "core/model/stage.hpp"
#include "core/model/worker.hpp"
#include "core/store/sql_tx.hpp"

namespace belay::store {

using model::RunNo;

// The right to write for a run: the epoch that its claim gave.
struct Lease {
    RunNo run{};
    std::int64_t epoch = 0;
};

// ---- outcomes

struct Applied {};
struct Fenced {};  // a newer epoch exists, or the run is no longer running: nothing was written
struct Refused {   // the transition table does not allow it: nothing was written
    std::string why{};
};
struct BodyFailed {  // the body threw; its writes and the verb's were rolled back, alone
    std::exception_ptr error{};
};
// The world failed and not the verb (a full disk, an I/O error, no memory): nobody may act on it. A
// store gives it to a verb whose body met such a failure, whatever the body made of it; nothing of
// that verb was written. The engine's writer gives it when the whole batch failed, or may have.
struct Lost {
    std::string why{};
    bool unknown = false;  // never from a store: it may have been written all the same
};

using WriteOutcome = std::variant<Applied, Fenced, Refused, BodyFailed, Lost>;

// ---- riders

// What a rider is told of its verb, where the verb has it.
struct Ridden {
    const model::Run* run = nullptr;                  // Submit, Control: as it now stands
    const model::StoredSchedule* schedule = nullptr;  // ChangeSchedule: likewise
    const std::string* output = nullptr;              // Transact: what the body returned
    bool duplicate = false;                           // Send: it was sent before
};

// What has to be true together with a verb: that a key was used, and what its request was answered. Called in the
// verb's savepoint once the verb has done what it was asked, and not if it was refused; both commit or neither does.
// What it throws takes the verb back: that is told in `failed`, and the verb's outcome says that nothing was done. Like
// a body it may be called twice.
struct Rider {
    // Gives the text with which `request` is answered.
    std::function<std::string(SqlTx&, const Ridden&)> body{};
    // A request of another process that is answered in the same commit; 0: none.
    std::int64_t request = 0;

    std::exception_ptr failed{};

    explicit operator bool() const { return static_cast<bool>(body); }
};

// ---- submit

enum class SubmitKind {
    Created,       // it did not exist
    Joined,        // it exists with the same workflow and input: `run` says how it stands (P3)
    Retried,       // it had failed or was canceled, and a retry was asked for: queued again
    Mismatch,      // it exists with another workflow or another input: nothing was written
    UnknownQueue,  // it names a queue that does not exist: nothing was written
    // It was over and its record was deleted; its id stays taken (rule 12). `run` has what the tombstone
    // kept: id, workflow_key, organization_id, status and completed_at. Nothing was written.
    Deleted,
};

struct SubmitOutcome {
    SubmitKind kind = SubmitKind::Created;
    model::Run run{};  // as it now stands in the store; for UnknownQueue nothing
};

inline SubmitOutcome SqlTx::submit(const model::NewRun& run) { return submit(run, false); }

// A new run, or the one that has this id already. With `claim_as`, a run that is created and due is
// claimed at once for that worker, in the same commit: it is inserted as running, epoch 1. A
// Retried run is rewound by model::rewind from its failure's path, as Control's Retry does it, and
// is queued: it is not claimed here.
//
// A run with a dedupe id joins the run of the same organization, queue and dedupe id that has not
// finished, if there is one and none has its own id. A run with a queue is never claimed with its
// submission: if it is due it comes into line, at the turn that model/queue.hpp gives it.
struct Submit {
    model::NewRun run{};
    std::string claim_as{};
    bool retry_failed = false;
    // A fork: what it has recorded from its beginning, written if it is created. Such a run is not claimed
    // here and begins at epoch 1, so that its first claim does not take it for one without a history.
    std::vector<model::Stage> stages{};
    bool may_be_undone = false;  // a step among those may have an undo: the run is Ready
    std::vector<model::Attempt> attempts{};
    // Called once if the submit also starts the run (created and claimed); its throw is BodyFailed
    // and the run is not created.
    TxBody on_start{};
    Rider rider{};  // with it the run is not claimed here

    std::variant<SubmitOutcome, BodyFailed, Lost> outcome{};
};

// ---- writes of a running run, each under its lease

// An answer to keep for other runs (rule 11), written in the transaction of its stage's record: the stage's
// output and cost. A newer one replaces it.
struct CachePut {
    std::string key{};  // organization and step included
    Time expires_at{};
};

// Records a stage: inserts it, or replaces the row at that path by the stage transition table (a
// terminal record is never overwritten, not even by an equal one: Refused). With a body, the body
// runs in the same transaction and what it returns becomes the stage's output, in the store and in
// this verb: both commit or neither does (P4). It is not called when the verb is Fenced or Refused.
struct Record {
    Lease lease{};
    model::Stage stage{};
    std::vector<model::Attempt> attempts{};     // failed attempts to keep beside it
    std::optional<model::Progress> progress{};  // the run's, if it changed
    TxBody body{};
    bool touch_run = false;  // also write current_stage and updated_at of the run
    bool clear_recoveries =
        false;  // the run made progress: so are its charges, it is no suspect any more
    // A fan whose outcome leaves branches behind: every stage inside this one that is open becomes
    // skipped in the same commit, and so do these, where nothing is recorded of them. Of the children
    // that were started inside it and are not over, a cancel is requested, with all theirs.
    bool skip_inside = false;
    std::vector<model::Stage> skipped{};
    std::optional<CachePut> cache{};  // with a stage that succeeded
    // What was reserved for the stage, if anything is: replaced in this commit by what its cost has grown by since; or by
    // all of that, where nobody knows what the attempt cost.
    enum class Settles : std::uint8_t { Nothing, ByCost, Whole } settles = Settles::Nothing;

    WriteOutcome outcome{};
};

// Keeps free what a paid call of this stage may cost, before it is made. What stands for the stage already, because its
// process died or a person approved it, is taken. Refused if it would go over a budget that counts the run: `reached`
// says which, and that the stage asked is noted, for Control's approval. store/spending.hpp has this part for every
// store. What is reserved counts until the stage's next record that settles, and only while its run is not over.
struct Reserve {
    Lease lease{};
    std::string path{};
    std::string stage_key{};
    std::string workflow_key{};
    std::string organization_id{};
    Cost at_most{};
    Cost before{};  // what the stage has cost so far

    WriteOutcome outcome{};
    std::optional<model::Reached> reached{};
};

// running → succeeded, failed, canceled or paused. `on_end` runs in the same transaction: both or
// nothing. A run that ends as canceled has what is still open recorded as canceled. It settles what
// was requested: both request flags are cleared. Only a pause may not swallow a cancel: with a
// cancel requested, an end as paused is Refused and the run still ours. One that is awaited tells
// those who await it; of the attached children of one that is over a cancel is requested.
struct End {
    Lease lease{};
    RunStatus status = RunStatus::Succeeded;
    std::string current_stage{};  // the last stage the run reached; empty: the last written
    bool on_request =
        false;  // paused because someone asked: Refused if the pause was taken back meanwhile
    bool despite_cancel =
        false;  // paused although a cancel is requested: its on_end hook cannot run
    std::optional<std::string> result{};
    std::optional<model::Failure> failure{};
    std::optional<model::Progress> progress{};
    TxBody on_end{};

    WriteOutcome outcome{};
};

// running → waiting until `wake_at` (kNever: until something happens); the lease is given up.
// Re-checks in the same transaction what could have come meanwhile (rule 7): with a cancel or a pause
// requested, or with another number of signals than `signals`, it is Refused and the run still ours;
// `signals` then is the run's number, so that the next Wait can be told it.
struct Wait {
    Lease lease{};
    Time wake_at{};
    std::int64_t signals = 0;  // as of the last Await or Woken that the run has heard of
    std::optional<model::Progress> progress{};

    WriteOutcome outcome{};
};

// running → queued: a worker that stops puts back what it has not finished. It is due at once; what
// was requested of it stays requested, for the next worker to act on.
struct Release {
    Lease lease{};
    // It continues as new: all that is recorded of it is forgotten, its generation raised, its recoveries
    // cleared, and this is its continued_input. Its input, by which it is known (P3), stays.
    std::optional<std::string> anew_with{};

    WriteOutcome outcome{};
};

// What the run says of itself: labels and exposed values, each replacing what stands under its name.
struct Say {
    Lease lease{};
    model::Said said{};

    WriteOutcome outcome{};
};

// A run that does not succeed takes back what its steps did (docs/undo.md).
enum class UndoVerb {
    // One that has an undo may happen from now on: the run is Ready, unless it is that or Left already.
    MayHappen,
    // Requests a cancel of every attached child that is not over, with all theirs, and gives in `open` where they were
    // started. Once there are none, nothing happens in the run's name beside its undos.
    StopChildren,
    LookForChildren,  // the same without a request
    // From now on the run only does what is in `plan`; whatever was requested of it before is settled by it, a pause
    // apart. Refused if it has a plan, or is Left.
    Begin,
};
struct Undo {
    Lease lease{};
    UndoVerb what = UndoVerb::MayHappen;
    std::string plan{};  // Begin: model::UndoPlan as JSON

    WriteOutcome outcome{};
    std::vector<std::string> open{};  // paths
};

// ---- waiting for other runs and for messages (rules 7, 8 and 10)

// Asks for what a stage waits for and, if it has come, records the stage's end in the same commit:
//  - a message of `topic`: the oldest that is unread; it is read by this, and the stage succeeded with
//    `[payload]`, or with `[]` when `until` is over and there is none;
//  - the end of the run `child_id`: the stage succeeded with its result, or failed with its failure.
// If it has not come, the stage is recorded as given (running) and whoever ends or sends it will raise
// the run's signals. With `start`, the child is submitted first, attached to this run, by the rules of
// Submit (it may join a run that exists; then it is awaited, not attached); with a cancel requested of
// this run the Await is Refused instead.
struct Await {
    Lease lease{};
    model::Stage stage{};
    std::string topic{};
    std::string child_id{};
    std::optional<model::NewRun> start{};
    bool retry_failed = false;  // and if the child had failed, open it again
    std::optional<Time> until{};
    // Why a message does not fit what the code wants; empty: it does. One that does not is kept aside with that
    // reason, unread by anybody, and the next is looked at. Called inside the commit.
    std::function<std::string(std::string_view record)> misfit{};

    WriteOutcome outcome{};
    bool came = false;  // `stage` is as recorded: ended
    // With `start`: what became of the submission; for the live feed, and may be left out.
    std::optional<SubmitKind> started{};
    std::int64_t signals = 0;  // the run's count in this transaction
};

// What has come of what a run waits for, when it is not known what: the stages whose run has ended, or that have an
// unread message. What it says of ended runs it says once. With `all`, also who is still waited for, so that a run
// whose history was just read asks only for the others.
struct Look {
    Lease lease{};
    bool all = false;

    WriteOutcome outcome{};
    std::vector<std::string> ended{};   // paths
    std::vector<std::string> topics{};  // with an unread message
    std::vector<std::pair<std::string, std::string>>
        open{};                // path and id of the run that it waits for
    std::int64_t signals = 0;  // the run's count before the look
};

enum class SendResult { Sent, Duplicate, Refused };

// Puts a message where its run will find it, whether it asks before or after, or exists yet. Refused,
// with a reason: the run has ended, belongs to another organization, or has too many unread messages.
struct Send {
    model::NewMessage message{};
    Rider rider{};

    SendResult outcome = SendResult::Refused;
    std::string why{};
    std::optional<Lost> lost{};  // by the engine; so in those below that have it
};

// Something has happened in this batch that a run may be waiting for, or is to stop for. A run that was
// waiting is due at once; one that is running must be told, and asks again with an Await.
struct Woken {
    RunNo run{};
    std::int64_t signals = 0;  // its count, this one included
    std::string path{};        // the stage that awaited a run which has ended
    std::string topic{};       // or the topic of a message
    bool canceled = false;     // or a cancel is requested of it, because one was of its parent

    friend bool operator==(const Woken&, const Woken&) = default;
};

// Somebody has a question to the run (Engine::ask): if it waits, it is due at once, and whoever claims it answers before
// it waits again. One that has ended stays as it is.
struct Wake {
    RunNo run{};
};

// ---- claims and reads inside the batch

// Takes runs that are due, oldest first: runs of workers that are gone (running under any other
// name than `worker`: names differ by session), by number; then queued and waiting ones whose time
// has come, by that time (wake_at, or created_at without one), then by number. Raises the epoch of
// each. A run of a dead worker counts a recovery before it runs, and its death has a row (Store::deaths),
// which says who took it; one that is charged with `charges_max` deaths (NoteDeath) is paused as a crash
// loop instead, which takes no room in `limit` (what was requested of it stays requested). A run with
// base::kSuspectCharges or more is a suspect: at most `suspects_max` of them are taken, the others stay
// as they are.
//
// A run with a queue that is due comes into line there first (at most base::kIntoLineMax in one claim): at
// turn 0 if its queue has let it begin in this attempt, else at the turn of model/queue.hpp. Of those in
// line so many are taken as model::room_in allows, counted in this transaction: those that have begun, then
// the others, each by priority, turn and number. Taking one that has not begun takes a token. A run of a
// dead worker keeps its slot and its token, and needs only room in this worker: without it, it is put back
// into line at turn 0, with its recovery counted. One of which a cancel is requested needs no slot. A queue
// that does not exist has no limits. Between queues, and runs without one, the one goes first whose next
// has been due longest.
struct Claim {
    std::string worker{};
    std::vector<std::string> workflow_keys{};  // only these: what this worker's program defines
    model::Versions versions{};  // and of those only runs whose code version these take
    // A claim also makes the worker known, with both, to Store::workers().
    int limit = 0;
    int suspects_max = 0;
    int charges_max = 5;
    // Gives the hook to run in the claim's transaction for a run that starts for the first time
    // (has no started_at; the result may be null). If the hook throws, what it wrote is taken back,
    // and that run is not claimed but failed with its message; after a retry it starts for the
    // first time again. A run whose hook met a failure of the store, or threw Error{Overloaded}, is
    // neither: it stays as it is, and is due again a little later (base::kHookRetryAfter).
    std::function<TxBody(const model::Run&)> on_start{};
    // Gives the hook for a run that ends that way; it runs in the same transaction. If it throws as well,
    // the run is failed all the same and its message says so.
    std::function<TxBody(const model::Run&)> on_end{};

    struct Outcome {
        std::vector<model::Run> claimed;
        std::vector<model::Run> ended;   // crash loops paused and hooks failed, for the log
        std::optional<Time> next_due{};  // the earliest time to come of the others; nothing if none
        // Some that are due were left, for `limit` or `suspects_max`, or for want of a slot: claim again
        // when there is room, that is when one of ours has ended. Those of a paused queue do not count; what
        // waits for a token is in `next_due`.
        bool more_due = false;
        // A hook met a failure of the store, this one: the store should be opened again.
        std::optional<Lost> lost{};
    };
    Outcome outcome{};
};

// A worker died, and this is what its black box says. Every run that is running under its name gets a row in
// Store::deaths, at the epoch it has. Of those in `executing`, the ones that are as the box says (that epoch, in that
// worker's hands or, because what its claim would have written died with it, in nobody's) are charged with the death:
// their `charges` rise by one, and the row says so. So is one that somebody else has taken meanwhile, until it has made
// progress. A suspect that was in nobody's hands sat this death out: its charges are cleared. Said twice it is
// the same as once.
struct NoteDeath {
    std::string worker{};
    Time last_seen{};
    model::DeathReason reason = model::DeathReason::Killed;
    struct Executing {
        Lease lease{};
        std::string stage{};  // may be empty
    };
    std::vector<Executing> executing{};

    std::vector<RunNo> charged{};  // out: of those in `executing`, for the log
};

// After a commit that failed or is unknown: takes the runs again that this worker still holds, at a
// new epoch, so that whatever was under way at the old one is refused. Does not count as a
// recovery. With `all_others`, it takes every run that is running under this worker except `runs`:
// what a lost commit may have claimed without the worker hearing of it.
struct Reclaim {
    std::string worker{};
    std::vector<RunNo> runs{};
    bool all_others = false;

    std::vector<model::Run> outcome{};  // those that are still running under this worker
};

// Reads the recorded stages of runs, in the order of `runs`; each ordered by position. Sees what
// the verbs before it wrote; a run that does not exist has no stages.
struct Load {
    std::vector<RunNo> runs{};

    std::vector<std::vector<model::Stage>> outcome{};
};

// ---- control from outside the run

// `Leave` is a cancel that leaves what the run did as it is: what has an undo is not undone.
enum class ControlKind { Cancel, Pause, Resume, Retry, Leave };

// Done: the run's row has the new state (cancel or pause of a run nobody executes, resume, retry).
// Requested: it is running; the request is recorded and its worker must act. Refused: the
// transition table has no such way, a hook threw (or was lost), or (Retry) the run changed since.
//
//             queued     waiting    running     paused     failed    canceled   succeeded
//   Cancel    Done       Done       Requested   Done       Refused   Refused    Refused
//   Pause     Done       Done       Requested   Refused    Refused   Refused    Refused
//   Resume    Refused    Refused    (*)         Done       Refused   Refused    Refused
//   Retry     Refused    Refused    Refused     Refused    Done      Done       Refused
//
// A cancel of a run that is Ready to be undone makes it due, with the request: that is Requested whatever its status,
// and Done only by Leave. One that has a plan (Undo) is not canceled any more: Refused; Leave is Requested and its
// worker ends it as the plan says. Leave makes a run Left that is Ready or running; a retry makes that Ready again. Retry of a run with a plan is
// Refused. Resume of one that is paused because an undo failed also resets that undo.
//
// What is Requested of a running run is kept with its reason, for whichever worker acts on it; the
// reason of a cancel replaces that of a pause. (*) Done if a pause is requested, which it takes back;
// else Refused. A cancel also requests one of every attached child, and theirs, in the same commit:
// whoever runs such a run ends it, and one that nobody runs becomes due for it. A cancel that is Done also
// closes the run's open stages as canceled. Cancel and pause leave a Failure (RunCanceled,
// RunPaused) with `reason` as its message. Resume and retry clear it, the recoveries, the charges and the
// wake time: the run is due at once. Retry also raises epoch and attempts.
enum class ControlResult { Done, Requested, NotFound, Refused };

// Retry of a failed run needs to know what to forget; the engine works it out from the stages
// (model/rewind.hpp). It is refused if the run changed since (another epoch).
struct Control {
    std::string run_id{};
    ControlKind kind = ControlKind::Cancel;
    std::string reason{};
    std::int64_t expected_epoch = 0;  // Retry only
    // Retry only: stages to run again. They become queued and lose output, end and next attempt;
    // attempt number, message and attempts are kept. One that succeeded, or that is not there, is
    // left alone.
    std::vector<std::string> reset_paths{};
    std::vector<std::string> forget_paths{};  // Retry only: stages to remove, with their attempts
    // Resume only, of a run that a budget has paused: lets what it asked be paid. Refused, with a sentence, where it is
    // paused for something else, or this may not be approved by who asks.
    std::optional<model::Approval> approves{};
    // For a cancel that is Done in the store, runs in its transaction (may be null); given the run
    // as canceled. If it throws, the cancel is Refused with its message and nothing is written.
    std::function<TxBody(const model::Run&)> on_end{};
    Rider rider{};

    ControlResult outcome = ControlResult::NotFound;
    std::optional<model::Run> run{};  // as it now stands
    std::string why{};                // Refused: a sentence
    std::optional<Lost> lost{};  // Refused because a hook met a failure of the store: ask again
};

// ---- what runs cost, and their end as rows

// What checkpoints have saved a run so far (model::Saved as JSON); replaces what was noted. Fenced by a newer
// epoch, like every write of a run.
struct NoteSaved {
    Lease lease{};
    std::string saved{};

    WriteOutcome outcome{};
};

// Deletes runs that are over, with their stages, attempts, deaths, messages and waiters (rule 12). Each leaves a
// tombstone with id, workflow, organization, status, end and a hash of its input, by which Submit knows the
// id, and adds its part to the ledger (Store::ledger), so that sums stay. Of `run_ids`, those that may not go
// are told in `refused`; without, the oldest that a rule lets go. Never touched: a run that is not over, one
// whose parent is not over, one that an unfinished run awaits. At most `limit` of them: the batch is short
// and others commit before the next. Cached answers and tombstones that have expired go as well.
struct Prune {
    struct Rule {
        std::string workflow_key{};
        Time succeeded_before{};  // ended before then; the beginning of time: none
        Time others_before{};     // failed and canceled ones
    };
    std::vector<std::string> run_ids{};
    std::vector<Rule> rules{};
    int limit = 100;

    struct Outcome {
        std::vector<model::Run> deleted{};  // id, workflow_key, organization_id, status
        std::vector<std::pair<std::string, std::string>> refused{};  // id and why
        bool more = false;                                           // a rule would let more go
    };
    Outcome outcome{};
    std::optional<Lost> lost{};
};

// ---- requests of other processes (SQLite: rows of control_requests)

struct ControlRequest {
    std::int64_t id = 0;
    std::string kind{};  // "cancel", "leave", "pause", "resume", "retry", "submit", "fork", "send"
    std::string run_id{};   // may be empty for "submit"
    std::string payload{};  // JSON
    Time created_at{};
};

// Reads the requests that have no answer, oldest first. Reading does not take them away.
struct TakeRequests {
    int limit = 100;

    std::vector<ControlRequest> outcome{};
};

// Marks one as handled, with what came of it, for the process that asked. The first answer stays;
// an id that does not exist is ignored.
struct AnswerRequest {
    std::int64_t id = 0;
    bool ok = true;
    std::string answer{};
};

// ---- queues and schedules

// Declare makes one; it changes one that exists only if `declared` differs from the last declaration.
// Set makes or changes it. A pause and its end touch nothing else.
enum class ChangeKind { Declare, Set, Pause, Resume, Remove };
enum class ChangeResult { Done, NotFound, Refused };

// Remove is Refused while a run in it has not finished, or a schedule names it; a new one, when there are
// base::kQueuesMax.
struct ChangeQueue {
    ChangeKind kind = ChangeKind::Declare;
    // `name`; for Declare and Set `limits`, which were checked; for Declare `declared`; for Pause
    // `pause_reason`.
    model::Queue queue{};
    Rider rider{};

    ChangeResult outcome = ChangeResult::Done;
    std::string why{};  // Refused: a sentence
    std::optional<Lost> lost{};
};

// A budget, known by who set it and its name. Pause and Resume are not for it. Refused: there are base::kBudgetsMax.
struct ChangeBudget {
    ChangeKind kind = ChangeKind::Declare;
    model::StoredBudget budget{};  // set_by and name; for Declare and Set the budget, checked
    Rider rider{};

    ChangeResult outcome = ChangeResult::Done;
    std::string why{};
    std::optional<Lost> lost{};
};

// A new schedule has dealt with all ticks up to now, and so has one that is resumed or gets other times
// (model::same_times). A buffered tick goes with other times, a pause or a removal. Declare and Set leave
// `paused` as it is. Refused: its queue does not exist; there are base::kSchedulesMax.
struct ChangeSchedule {
    ChangeKind kind = ChangeKind::Declare;
    model::Schedule schedule{};  // its name; for Declare and Set all of it, checked
    std::string declared{};      // for Declare: what to compare; never empty
    Rider rider{};

    ChangeResult outcome = ChangeResult::Done;
    std::string why{};
    std::optional<Lost> lost{};
    std::optional<model::StoredSchedule> stands{};  // when it is Done, unless it was removed
};

// Reads all schedules, by name.
struct ReadSchedules {
    std::vector<model::StoredSchedule> outcome{};
};

// Ticks of a schedule become runs, and `handled_until` moves, in one commit. Of two workers that found the
// same ticks one is Stale, because the first raised the version; so is who read it before it was changed.
// Each tick, in its order, is dealt with as model::on_tick says of the schedule's overlap policy and of
// whether a run of the schedule is unfinished at that point; a buffered tick goes before them, as soon as
// none is. store/tick.hpp has that part for every store.
struct Tick {
    std::string schedule{};
    std::int64_t version = 0;  // as it was read
    std::vector<Time> ticks{};
    Time handled_until{};
    std::int64_t lost = 0;  // let go by the catch-up policy
    std::string code_version{};

    bool done = false;  // false: Stale, nothing was written
    std::vector<SubmitOutcome> started{};
    model::StoredSchedule stands{};  // when done
};

// ---- what nothing will ever wake

// Marks a run as stalled, or takes the mark away. One that has ended is not marked. Nothing else of the run
// changes, not even updated_at.
struct MarkStalled {
    RunNo run{};
    std::optional<model::Stall> stall{};

    std::optional<Lost> lost{};
};

// ---- a program's own tables, outside any run

// Runs the body in the batch's transaction. It commits whole or, if it throws, not at all.
struct Transact {
    TxBody body{};
    Rider rider{};

    std::variant<std::string, BodyFailed> outcome{};  // what the body returned
};

using Verb =
    std::variant<Submit, Record, End, Wait, Release, Await, Look, Send, Claim, Reclaim, Load,
                 Control, TakeRequests, AnswerRequest, MarkStalled, Transact, NoteSaved, Prune,
                 ChangeQueue, ChangeSchedule, ReadSchedules, Tick, NoteDeath, Say, Wake, Undo,
                 Reserve, ChangeBudget>;

struct Batch {
    Time now{};  // the time of everything written in it
    std::vector<Verb> verbs{};

    std::vector<Woken> woken{};  // by the verbs of this batch, in their order
};

}  // namespace belay::store
