// duties.hpp — what a store's writer provides for the verbs that every SQL store shares (writer.hpp), and what each of it
// locks.
//
// A member that is missing does not compile. "Locks" means: until the commit of the batch, against other workers. SQLite
// has one writer, whose transaction has the file to itself: there nothing is left to lock, or to tell anybody. On
// PostgreSQL everyone takes locks in the same order, or two workers would wait for each other: workers' rows by name, runs
// by number, then a queue, then the ledger, then the budgets (docs/internals/leases.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/run.hpp"
#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"

namespace belay::store {

// A run that a claim may take.
struct Candidate {
    RunNo run;
    Time due{};
    std::int64_t charges = 0;
    std::int64_t priority = 0;  // in line
    std::int64_t turn = 0;
};
using Candidates = std::vector<Candidate>;

// How many more a claim takes.
inline std::size_t room_of(const Claim& verb) {
    const auto limit = static_cast<std::size_t>(std::max(verb.limit, 0));
    return limit - std::min(limit, verb.outcome.claimed.size());
}

// What becomes of a lock that another worker has.
enum class IfBusy { Wait, Leave };

// Which body of the verb at work: a claim has two hooks for each run, a rider comes after its verb's own.
struct BodyKey {
    RunNo run{};
    bool is_end_hook = false;
    bool is_rider = false;
    friend bool operator==(const BodyKey&, const BodyKey&) = default;
};

inline bool is_ahead_in_line(const Candidate& a, const Candidate& b) {
    return std::tuple(-a.priority, a.turn, a.run) < std::tuple(-b.priority, b.turn, b.run);
}

// A run whose row was changed for it to notice something, and its count of signals since.
struct Signaled {
    RunNo run;
    std::int64_t signals = 0;
};

// Whether a stage's row took what was to be recorded; No: its transition is refused.
enum class Stored { Yes, No };

template <class Db>
class WriterDuties {
protected:
    ~WriterDuties() = default;

    // What a Rows gives: a row of its statement.
    using Row = std::remove_cvref_t<decltype(*std::declval<typename Db::Rows&>())>;
    using HeldRun = typename Db::HeldRun;

    // ---- what was gathered

    // What was gathered is written, so that a verb reads what the ones before it wrote. Locks what those write.
    virtual void flush() = 0;

    // ---- leases

    // The run, if the lease is the newest and it is running; otherwise null. Valid until the next. Its row is locked: with
    // the others of the batch, by number, before the first verb, or now if it was not foreseen.
    virtual HeldRun* held(const Lease& lease) = 0;
    // This worker has taken the run, whose row is locked by the claim.
    virtual void hold(const model::Run& run) = 0;

    // ---- bodies. A savepoint undone gives back what was locked under it, on both stores.

    virtual void savepoint() = 0;
    virtual void release() = 0;
    virtual void undo_savepoint() = 0;
    // How a body of the verb at work failed, if it cost the batch its transaction when it was tried before.
    virtual BodyResult offence() const = 0;
    // What it returns goes to `output`. Locks what its SQL does.
    virtual BodyResult run_body(const TxBody& body, std::string& output) = 0;
    // Under a savepoint of its own, undone if it fails.
    virtual BodyResult run_hook(const TxBody& hook, BodyKey key) = 0;

    // ---- locks

    // That queue's row, whose counters and tokens are then nobody else's (rule 9). None is no error.
    virtual void lock_queue(const std::string& name) = 0;
    // Its dedupe id within its queue and organization, whether or not a run has it: who looks for one and makes one is alone.
    virtual void lock_dedupe(const model::NewRun& run) = 0;
    // The ledger: two workers that prune add to the same rows, one after the other. Before any run that is removed, because
    // another sweep may hold it for long and nobody's retry shall wait for that.
    virtual void lock_ledger() = 0;
    // What is paid: whoever reserves, settles or sets a limit is alone with all sums.
    virtual void lock_budgets() = 0;
    // These runs, their parents and those that await them, by number; whoever begins to await one of them has to lock that
    // one first. With Leave only what nobody else has. Gives the runs of which all that was locked: their rows have to be
    // read again, because another worker may have changed them before.
    virtual std::vector<RunNo> lock_to_remove(const std::vector<RunNo>& runs, IfBusy busy) = 0;
    // The runs that the death may be charged to, by number.
    virtual void lock_charged(const NoteDeath& verb) = 0;

    // ---- claims. The runs that they give are locked; one that another worker has its hand on is left out.

    virtual std::vector<Candidate> find_without_queue(Claim& verb, int suspects_left) = 0;
    // Of one line, those that have begun before, or those that have not. Its queue's row is locked.
    virtual std::vector<Candidate> list_line(const Claim& verb, const std::string& queue,
                                             bool begun, std::size_t most, int suspects_left) = 0;
    // Whether there is one. Locks nothing: it is only said to look again.
    virtual bool has_line(const Claim& verb, const std::string& queue, bool begun) = 0;
    // It gets its worker and its epoch, now or with the others of the claim.
    virtual void store_taken(const Claim& verb, const model::Run& run) = 0;
    // The claim takes it from a worker that is gone.
    virtual void note_pick_up(const Claim& verb, const model::Run& orphan) = 0;

    // ---- rows

    // Locks nothing but a row that it makes, and the run that it joins.
    virtual SubmitOutcome submit(const model::NewRun& run, const std::string& claim_as,
                                 bool retry_failed) = 0;
    // The next three of a run that is locked.
    virtual Stored store_stage(RunNo run, const model::Stage& stage,
                               const std::optional<std::string>& output) = 0;
    virtual Refused refused(RunNo run, const model::Stage& stage) = 0;
    virtual void store_progress(RunNo run, const std::optional<model::Progress>& progress) = 0;
    // Locks nothing.
    virtual std::vector<model::Stage> stages_of(RunNo run) = 0;
    // Asks the unfinished children that were started between these paths to stop, and locks them.
    virtual std::vector<Signaled> cancel_inside(RunNo run, const std::string& from,
                                                const std::string& to) = 0;

    // ---- runs that were deleted. Lock nothing.

    virtual bool may_have_tombstones() = 0;
    virtual void note_deleted(RunNo run) = 0;

    // ---- what the other workers hear when the batch is committed. Lock nothing.

    virtual void tell_due() = 0;
    virtual void tell_ended(RunNo run) = 0;
    virtual void tell_schedules() = 0;
    // Something was asked of that run.
    virtual void tell_holder(const model::Run& run) = 0;
    // The same of the run in that row, whose column and the next are its worker and its status.
    virtual void tell_holder(RunNo run, const Row& row, int column) = 0;
    // A message was sent to a run that does not exist.
    virtual void tell_late(const std::string& run_id) = 0;
};

}  // namespace belay::store
