// reader.hpp — the connection that reads, and asks: from any thread, beside the writer.
//
// In WAL mode reading and writing do not wait for each other. Reads are short, so one connection behind
// one lock serves all threads.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/sql/body.hpp"
#include "core/store/sqlite/connection.hpp"
#include "core/store/store.hpp"

namespace belay::store::sqlite {

class Reader {
public:
    // `blobs` outlives it.
    Reader(std::filesystem::path file, Duration busy_time_max, Blobs& blobs);
    ~Reader();

    // As Store says.
    std::optional<model::Run> find_run(std::string_view id);
    std::optional<model::Run> find_run(RunNo no);
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids);
    RunPage list_runs(const RunFilter& filter);
    std::vector<model::Stage> stages(RunNo run);
    std::vector<model::Attempt> attempts(RunNo run);
    std::vector<model::Death> deaths(RunNo run);
    LabelsOfRuns labels(const std::vector<RunNo>& runs);
    std::map<std::string, std::string> exposed(RunNo run);
    RunCounts count_runs();
    std::vector<QueueInfo> queues(Time now, std::string_view organization);
    std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now);
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run);
    std::vector<model::StoredSchedule> schedules();
    std::vector<model::Message> messages(std::string_view run_id, int limit);
    bool has_topic(std::string_view topic);
    std::vector<model::Worker> workers();
    std::vector<std::string> open_workflows();
    std::optional<Store::Cached> find_cached(std::string_view key, Time now);
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter);
    // The files that columns name.
    std::set<std::string> named_blobs();
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters);
    // Ends the read under way, from another thread.
    void interrupt();

    std::int64_t ask(const ControlRequest& request);
    std::optional<Store::Answer> answer(std::int64_t request_id);

private:
    // Everything that reads a row, prepared once.
    struct Prepared;

    // Runs `read` with the lock held; what SQLite refuses becomes an Error that names the file.
    template <class F>
    auto locked(F&& read);

    std::filesystem::path file_;
    std::mutex mutex_;
    std::unique_ptr<Connection> connection_;
    std::unique_ptr<Prepared> prepared_;
    std::unique_ptr<SqlBody> sql_;
};

}  // namespace belay::store::sqlite
