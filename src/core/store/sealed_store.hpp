// sealed_store.hpp — a store in which what runs carry is encrypted (belay/seal.hpp).
//
// Wraps another store: values are sealed before they reach it and opened when they come back, also where a store hands a
// run to a hook in the middle of its transaction, or takes what a body returns. Each verb says what of it is sealed, by
// an overload; a verb without one does not compile.
//
// A batch is committed as a copy, so that of one that failed nothing is sealed twice when it is pushed again.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include <belay/seal.hpp>

#include "core/store/store.hpp"

namespace belay::store {

class SealedStore final : public Store {
public:
    SealedStore(std::unique_ptr<Store> inner, std::shared_ptr<const Seal> seal);
    ~SealedStore() override;

    void commit(Batch& batch) override;
    void reopen() override { inner_->reopen(); }
    bool changed_outside() override { return inner_->changed_outside(); }
    void migrate(const Migrations& migrations) override { inner_->migrate(migrations); }

    std::optional<model::Run> find_run(std::string_view id) override;
    std::optional<model::Run> find_run(RunNo no) override;
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override;
    RunPage list_runs(const RunFilter& filter) override;
    std::vector<model::Stage> stages(RunNo run) override;
    std::vector<model::Attempt> attempts(RunNo run) override;
    std::vector<model::Death> deaths(RunNo run) override { return inner_->deaths(run); }
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
    std::vector<model::StoredSchedule> schedules() override;
    std::vector<model::Message> messages(std::string_view run_id, int limit) override;
    bool has_topic(std::string_view topic) override { return inner_->has_topic(topic); }
    std::vector<model::Worker> workers() override { return inner_->workers(); }
    std::vector<std::string> open_workflows() override { return inner_->open_workflows(); }
    std::optional<Cached> find_cached(std::string_view key, Time now) override;
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override {
        return inner_->ledger(filter);
    }
    std::int64_t collect_garbage() override { return inner_->collect_garbage(); }
    // A program's own tables are plain.
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override {
        return inner_->query(sql, parameters);
    }
    LabelsOfRuns labels(const std::vector<RunNo>& runs) override { return inner_->labels(runs); }
    std::map<std::string, std::string> exposed(RunNo run) override;
    std::vector<ControlRequest> questions(Time since) override;
    std::int64_t ask(const ControlRequest& request) override;
    std::optional<Answer> answer(std::int64_t request_id) override;
    std::string name() const override { return inner_->name(); }

private:
    class Sealer;

    std::unique_ptr<Store> inner_;
    std::shared_ptr<const Seal> seal_;
    std::unique_ptr<Sealer> sealer_;
};

}  // namespace belay::store
