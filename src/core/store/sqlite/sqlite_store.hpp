// sqlite_store.hpp — the Store that is one SQLite file: a writer if it executes, and always readers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/env/file_lock.hpp"
#include "core/env/files.hpp"
#include "core/store/blobs.hpp"
#include "core/store/sqlite/open.hpp"
#include "core/store/sqlite/readers.hpp"
#include "core/store/sqlite/wal_keeper.hpp"
#include "core/store/sqlite/writer.hpp"
#include "core/store/store.hpp"
#include "core/store/upkeep.hpp"

namespace belay::store::sqlite {

class SqliteStore final : public Store, public Upkeep {
public:
    SqliteStore(const std::filesystem::path& file, const OpenOptions& options);
    ~SqliteStore() override;

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
    std::int64_t collect_garbage() override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;

    std::int64_t ask(const ControlRequest& request) override;
    std::optional<Answer> answer(std::int64_t request_id) override;

    std::string name() const override;
    std::string held_up() override;

private:
    Writer& writer();
    std::shared_ptr<Reader> reader();

    const std::filesystem::path file_;
    const OpenOptions options_;
    env::SystemFiles files_;
    Blobs blobs_;                        // outlives whoever reads and writes
    std::optional<env::FileLock> lock_;  // held through reopen, released last
    std::optional<CommitMark> mark_;     // of one that executes; outlives the writer
    std::unique_ptr<Writer> writer_;     // null while it could not be opened again
    std::optional<Readers> readers_;     // made once the file is known to be ours
    std::optional<WalKeeper> keeper_;    // if it executes
};

}  // namespace belay::store::sqlite
