// reader.hpp — a connection that reads, and asks, beside the writer: for one thread at a time (readers.hpp).
//
// A read whose connection was lost is made again on a new one: reading twice does no harm.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/news.hpp"
#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/told.hpp"
#include "core/store/store.hpp"

namespace belay::store::postgres {

class Reader {
public:
    // Connects when it is first used.
    Reader(ConnectOptions options, std::string name);
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
    std::vector<model::Message> messages(std::string_view run_id, int limit);
    bool has_topic(std::string_view topic);
    std::vector<model::Worker> workers();
    std::vector<std::string> open_workflows();
    std::vector<QueueInfo> queues(Time now, std::string_view organization);
    std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now);
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run);
    std::vector<model::StoredSchedule> schedules();
    std::optional<Store::Cached> find_cached(std::string_view key, Time now);
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter);
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters);
    std::int64_t ask(const ControlRequest& request);
    std::vector<ControlRequest> questions(Time since);
    std::optional<Store::Answer> answer(std::int64_t request_id);
    std::int64_t newest_request();  // its id; 0 if there is none

    // What others asked of the runs that this worker holds.
    // Of those of them that it holds.
    std::vector<RunNews> told(const std::string& worker, const SomeRuns& runs);

private:
    // Everything that reads a row, prepared once.
    struct Prepared;

    // Runs `attempt` with a connection; what PostgreSQL refuses becomes an Error.
    template <class F>
    auto read(F&& attempt, bool may_repeat = true);
    void connect();
    Duration query_time_max() const;

    const ConnectOptions options_;
    const std::string name_;
    std::unique_ptr<Connection> connection_;
    std::unique_ptr<Prepared> prepared_;
};

}  // namespace belay::store::postgres
