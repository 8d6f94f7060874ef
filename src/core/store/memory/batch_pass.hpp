// batch_pass.hpp — one pass of a batch over the memory store's tables, verb by verb.
//
// Each verb does what batch.hpp says and writes its outcome. A pass ends in one of two ways: all
// verbs have an outcome, or a body's failure took the whole SQL transaction with it
// (TransactionLost) and the batch must be begun again, knowing who failed.
#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"
#include "core/store/memory/private_sql.hpp"
#include "core/store/memory/tables.hpp"

namespace belay::store::memory {

// Which body of a verb: a claim has two hooks for each run, and a rider comes after its verb's own.
enum class BodyKind { First, EndHook, Rider };
// Which body of a batch: the place of its verb and, as a claim has many, the run.
using BodyKey = std::tuple<std::size_t, RunNo, BodyKind>;
using FailedBodies = std::map<BodyKey, BodyFailure>;

struct TransactionLost {
    BodyKey body;
    BodyFailure failure;
};

class BatchPass {
public:
    // `executes`: this store is the newest session; otherwise every lease is an old one.
    // `woken` is filled.
    BatchPass(Tables& tables, PrivateSql& sql, Time now, bool executes, const FailedBodies& failed,
              std::vector<Woken>& woken);

    void apply(std::size_t place, Verb& verb);

private:
    class Tx;
    class TickTables;

    template <class V>
    void apply_with_rider(V& verb);
    void apply(Submit& verb);
    void apply(Record& verb);
    void apply(End& verb);
    void apply(Wait& verb);
    void apply(Release& verb);
    void apply(Await& verb);
    void apply(Look& verb);
    void apply(Send& verb);
    void apply(Wake& verb) { signal(verb.run, "", ""); }
    void apply(Claim& verb);
    void apply(Reclaim& verb);
    void apply(Load& verb);
    void apply(Control& verb);
    void apply(TakeRequests& verb);
    void apply(AnswerRequest& verb);
    void apply(MarkStalled& verb);
    void apply(Transact& verb);
    void apply(ChangeQueue& verb);
    void apply(ChangeSchedule& verb);
    void apply(ReadSchedules& verb);
    void apply(Tick& verb);
    void apply(NoteSaved& verb);
    void apply(Say& verb);
    void apply(Undo& verb);
    void apply(Reserve& verb);
    void apply(ChangeBudget& verb);
    void apply(NoteDeath& verb);
    void apply(Prune& verb);

    // submit.cpp
    SubmitOutcome submit(const model::NewRun& asked, bool retry_failed,
                         const std::string& claim_as);
    void reset_stage(RunNo run, const std::string& path);
    void retry(model::Run& run, const std::vector<std::string>& reset,
               const std::vector<std::string>& forget);

    // writes.cpp
    WriteOutcome write(Record& verb);
    WriteOutcome write(const End& verb);
    WriteOutcome write(Wait& verb);
    const model::Run* held(const Lease& lease) const;  // null: fenced
    std::optional<Refused> record(RunNo run, const model::Stage& stage);
    void close_open_stages(RunNo run, StageStatus as, std::string_view inside = {});

    // await.cpp
    WriteOutcome await_child(Await& verb);
    WriteOutcome await_message(Await& verb);
    WriteOutcome record_await(Await& verb, bool came);
    SendResult send(const model::NewMessage& message, std::string& why);
    bool signal(RunNo run, std::string path, std::string topic);
    void tell_waiters(RunNo run);
    void cancel_children(RunNo run, const std::string& inside = {});

    // claim.cpp
    void claim_orphan(Claim& verb, model::Run run, int& suspects);
    void claim_due(Claim& verb, model::Run run, int& suspects);
    void pause_loop(Claim& verb, model::Run run);
    void take(Claim& verb, model::Run run);
    void put_off(Claim& verb, model::Run run, const BodyFailure& failure);
    void fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure);
    void look_ahead(Claim& verb) const;

    // deaths.cpp
    void note_pick_up(const Claim& verb, const model::Run& orphan);
    bool charge(const NoteDeath& verb, const NoteDeath::Executing& one);

    // queue.cpp
    std::int64_t turn_of(const std::string& queue, std::int64_t priority,
                         const std::string& partition) const;
    model::QueueRoom room_in_queue(const std::string& name, const std::string& worker) const;
    void into_line(Claim& verb, std::int64_t& left);
    std::vector<RunNo> next_to_go(const Claim& verb, int suspects_left) const;
    std::vector<RunNo> first_in_line(const Claim& verb, const std::string& queue, std::size_t most,
                                     int suspects_left) const;
    bool put_back_in_line(const Claim& verb, model::Run orphan);
    void let_in(const model::Run& run);
    void look_along_lines(Claim& verb) const;

    // control.cpp
    void cancel(Control& verb, model::Run run);
    void pause(Control& verb, model::Run run);
    void resume(Control& verb, model::Run run);
    void retry(Control& verb, model::Run run);

    // spending.cpp
    void settle_spending(const Record& verb);
    std::string approve_spending(const model::Run& run, const model::Approval& approval);

    // prune.cpp
    std::string needed_by(const model::Run& run) const;
    std::string refuses_to_go(const model::Run* run, const std::string& id) const;
    void remove(Prune& verb, model::Run run);

    // Runs a body in a savepoint; what it returns goes to `output`. If it fails, everything written
    // since `from` is taken back.
    BodyResult run_body(const TxBody& body, std::string& output, Tables::Mark from, RunNo run = {},
                        BodyKind kind = BodyKind::First);

    Tables& tables_;
    PrivateSql& sql_;
    const Time now_;
    const bool executes_;
    const FailedBodies& failed_;
    std::vector<Woken>& woken_;
    std::size_t place_ = 0;  // of the verb at work
};

}  // namespace belay::store::memory
