// memory_store.hpp — a store without a file: obvious and slow. The oracle in tests, the disk in
// simulation.
//
// The rows live on a MemoryDisk, which outlives the store: to open another store on the same disk
// is to restart after a crash, and nothing that was committed is lost by it. Every executing store
// on a disk is a new session, and only the newest executes: what an older one still tries (a
// process that was believed dead) is Fenced, and its claims find nothing. Workers must have another
// name in each session; runs of any other worker count as left behind.
#pragma once

#include <memory>

#include "core/store/store.hpp"

namespace belay::store {

class MemoryDisk;

// A disk with nothing on it.
std::shared_ptr<MemoryDisk> make_memory_disk();

class MemoryStore final : public Store {
public:
    // Shares the disk with the test that restarts on it: neither knows which of them ends first.
    // With `execute` false it only reads and asks; its commit is refused as InvalidArgument.
    explicit MemoryStore(std::shared_ptr<MemoryDisk> disk = make_memory_disk(),
                         bool execute = true);
    ~MemoryStore() override;

    void commit(Batch& batch) override;
    void reopen() override;
    bool changed_outside() override;
    void migrate(const Migrations& migrations) override;

    std::optional<model::Run> find_run(std::string_view id) override;
    std::optional<model::Run> find_run(RunNo no) override;
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override;
    RunPage list_runs(const RunFilter& filter) override;
    std::vector<model::Stage> stages(RunNo run) override;
    std::vector<model::Attempt> attempts(RunNo run) override;
    std::vector<model::Death> deaths(RunNo run) override;
    LabelsOfRuns labels(const std::vector<RunNo>& runs) override;
    std::map<std::string, std::string> exposed(RunNo run) override;
    RunCounts count_runs() override;
    std::vector<QueueInfo> queues(Time now, std::string_view organization) override;
    std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now) override;
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run) override;
    std::vector<model::StoredSchedule> schedules() override;
    std::vector<model::Message> messages(std::string_view run_id, int limit) override;
    bool has_topic(std::string_view topic) override;
    std::vector<model::Worker> workers() override;
    std::vector<std::string> open_workflows() override;
    std::optional<Cached> find_cached(std::string_view key, Time now) override;
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;

    std::int64_t ask(const ControlRequest& request) override;
    std::optional<Answer> answer(std::int64_t request_id) override;
    std::string name() const override;

private:
    std::shared_ptr<MemoryDisk> disk_;
    std::int64_t session_ = 0;  // 0: it does not execute
    std::int64_t requests_seen_ = 0;
};

}  // namespace belay::store
