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
#include <utility>

#include "store/batch.hpp"
#include "store/memory/private_sql.hpp"
#include "store/memory/tables.hpp"

namespace belay::store::memory {

// Which body of a batch: the place of its verb and, as a claim has many, the run.
using BodyKey = std::pair<std::size_t, RunNo>;
using FailedBodies = std::map<BodyKey, std::exception_ptr>;

struct TransactionLost {
    BodyKey body;
    std::exception_ptr error;
};

class BatchPass {
public:
    // `executes`: this store is the newest session; otherwise every lease is an old one.
    BatchPass(Tables& tables, PrivateSql& sql, Time now, bool executes, const FailedBodies& failed);

    void apply(std::size_t place, Verb& verb);

private:
    class Tx;

    void apply(Submit& verb);
    void apply(Record& verb);
    void apply(End& verb);
    void apply(Wait& verb);
    void apply(Release& verb);
    void apply(Claim& verb);
    void apply(Reclaim& verb);
    void apply(Load& verb);
    void apply(Control& verb);
    void apply(TakeRequests& verb);
    void apply(AnswerRequest& verb);
    void apply(Transact& verb);

    // submit.cpp
    SubmitOutcome submit(const model::NewRun& asked, bool retry_failed,
                         const std::string& claim_as);
    void retry(model::Run& run, const std::vector<std::string>& reset,
               const std::vector<std::string>& forget);

    // writes.cpp
    WriteOutcome write(Record& verb);
    WriteOutcome write(const End& verb);
    WriteOutcome write(const Wait& verb);
    const model::Run* held(const Lease& lease) const;  // null: fenced
    std::optional<Refused> record(RunNo run, const model::Stage& stage);
    void cancel_open_stages(RunNo run);

    // claim.cpp
    void claim_orphan(Claim& verb, model::Run run, int& suspects);
    void claim_due(Claim& verb, model::Run run, int& suspects);
    void take(Claim& verb, model::Run run);
    void tell_end(const Claim& verb, model::Run& run);
    void look_ahead(Claim& verb) const;

    // control.cpp
    void cancel(Control& verb, model::Run run);
    void pause(Control& verb, model::Run run);
    void resume(Control& verb, model::Run run);
    void retry(Control& verb, model::Run run);

    // Runs a body in a savepoint and gives what it returned. If it throws, everything written since
    // `from` is taken back and the exception is given.
    struct BodyResult {
        std::string output;
        std::exception_ptr error;
    };
    BodyResult run_body(const TxBody& body, Tables::Mark from, RunNo run = {});

    Tables& tables_;
    PrivateSql& sql_;
    const Time now_;
    const bool executes_;
    const FailedBodies& failed_;
    std::size_t place_ = 0;  // of the verb at work
};

}  // namespace belay::store::memory
