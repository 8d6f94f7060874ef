// fault_store.hpp — a store that fails when it is told to.
//
// Wraps another store, so that anything that writes can be tested by failing at every point: loop N
// upward, let the N-th commit fail or the process die there, reopen, check the invariants.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "core/store/store.hpp"

namespace belay::store {

// Thrown by a callback to act as if the process died here. Not a std::exception: no `catch` on the
// way, of the engine or of a user, may take it for a failure to be handled.
struct CrashHere {
    std::int64_t commit = 0;
};

enum class Fault {
    Unavailable,     // nothing happens: StoreUnavailable
    UnknownApplied,  // it happens, and nobody is told: CommitUnknown
    UnknownLost,     // it does not happen: CommitUnknown
};

class FaultStore final : public Store {
public:
    explicit FaultStore(std::unique_ptr<Store> inner) : inner_(std::move(inner)) {}

    // The n-th commit from the first one of this store on, counted from 1, fails like this.
    void fail_commit(std::int64_t n, Fault fault) { faults_[n] = fault; }

    // The next `times` calls of reopen throw StoreUnavailable.
    void fail_reopens(int times) { reopens_to_fail_ = times; }

    // Called around every commit that reaches the inner store, with its number. What they throw
    // leaves commit(): before it, nothing has happened; after it, all has.
    std::function<void(std::int64_t commit, const Batch& batch)> before_commit;
    std::function<void(std::int64_t commit, const Batch& batch)> after_commit;

    // Called before every look into the cache, on the thread that looks: a reader that is slow.
    std::function<void()> before_find_cached;

    std::int64_t commits() const { return commits_; }  // asked for, failed ones included
    std::int64_t reopens() const { return reopens_; }
    std::int64_t run_reads() const { return run_reads_; }  // of runs by their ids or numbers
    Store& inner() { return *inner_; }

    void commit(Batch& batch) override;
    void reopen() override;

    bool changed_outside() override { return inner_->changed_outside(); }
    void migrate(const Migrations& migrations) override { inner_->migrate(migrations); }
    std::optional<model::Run> find_run(std::string_view id) override {
        ++run_reads_;
        return inner_->find_run(id);
    }
    std::optional<model::Run> find_run(RunNo no) override {
        ++run_reads_;
        return inner_->find_run(no);
    }
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override {
        ++run_reads_;
        return inner_->ended_of(ids);
    }
    RunPage list_runs(const RunFilter& filter) override { return inner_->list_runs(filter); }
    std::vector<model::Stage> stages(RunNo run) override { return inner_->stages(run); }
    std::vector<model::Attempt> attempts(RunNo run) override { return inner_->attempts(run); }
    std::vector<model::Death> deaths(RunNo run) override { return inner_->deaths(run); }
    LabelsOfRuns labels(const std::vector<RunNo>& runs) override { return inner_->labels(runs); }
    std::map<std::string, std::string> exposed(RunNo run) override { return inner_->exposed(run); }
    RunCounts count_runs() override { return inner_->count_runs(); }
    std::vector<QueueInfo> queues(Time now, std::string_view organization) override {
        return inner_->queues(now, organization);
    }
    std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now) override {
        return inner_->place_in_queue(run, now);
    }
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run) override {
        return inner_->budgets(now, run);
    }
    std::vector<model::StoredSchedule> schedules() override { return inner_->schedules(); }
    std::vector<model::Message> messages(std::string_view run_id, int limit) override {
        return inner_->messages(run_id, limit);
    }
    bool has_topic(std::string_view topic) override { return inner_->has_topic(topic); }
    std::vector<model::Worker> workers() override { return inner_->workers(); }
    std::vector<std::string> open_workflows() override { return inner_->open_workflows(); }
    std::optional<Cached> find_cached(std::string_view key, Time now) override {
        if (before_find_cached) before_find_cached();
        return inner_->find_cached(key, now);
    }
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override {
        return inner_->ledger(filter);
    }
    std::int64_t collect_garbage() override { return inner_->collect_garbage(); }
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override {
        return inner_->query(sql, parameters);
    }
    std::int64_t ask(const ControlRequest& request) override { return inner_->ask(request); }
    std::optional<Answer> answer(std::int64_t request_id) override {
        return inner_->answer(request_id);
    }
    std::string name() const override { return inner_->name(); }

private:
    void commit_inside(Batch& batch);

    std::unique_ptr<Store> inner_;
    std::map<std::int64_t, Fault> faults_;
    std::atomic<std::int64_t> run_reads_ = 0;
    std::atomic<std::int64_t> commits_ = 0;  // asked for by tests while the commit thread counts
    std::atomic<std::int64_t> reopens_ = 0;
    int reopens_to_fail_ = 0;
};

}  // namespace belay::store
