// postgres_store.hpp — the Store that is a schema of a PostgreSQL database: a writer and a heart if it executes, and
// always readers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/store/news.hpp"
#include "core/store/postgres/address.hpp"
#include "core/store/postgres/heart.hpp"
#include "core/store/postgres/open.hpp"
#include "core/store/postgres/reader.hpp"
#include "core/store/postgres/readers.hpp"
#include "core/store/postgres/writer.hpp"
#include "core/store/store.hpp"

namespace belay::store::postgres {

class PostgresStore final : public Store, public Outside {
public:
    PostgresStore(const std::string& address, const OpenOptions& options);
    ~PostgresStore() override;

    void commit(Batch& batch) override;
    void reopen() override;
    bool changed_outside() override;
    void migrate(const Migrations& migrations) override;
    News news() override;
    void on_news(std::function<void()> callback) override;

    std::optional<model::Run> find_run(std::string_view id) override {
        return readers_.take()->find_run(id);
    }
    std::optional<model::Run> find_run(RunNo no) override { return readers_.take()->find_run(no); }
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override {
        return readers_.take()->ended_of(ids);
    }
    RunPage list_runs(const RunFilter& filter) override {
        return readers_.take()->list_runs(filter);
    }
    std::vector<model::Stage> stages(RunNo run) override { return readers_.take()->stages(run); }
    std::vector<model::Attempt> attempts(RunNo run) override {
        return readers_.take()->attempts(run);
    }
    std::vector<model::Death> deaths(RunNo run) override { return readers_.take()->deaths(run); }
    LabelsOfRuns labels(const std::vector<RunNo>& runs) override {
        return readers_.take()->labels(runs);
    }
    std::map<std::string, std::string> exposed(RunNo run) override {
        return readers_.take()->exposed(run);
    }
    RunCounts count_runs() override { return readers_.take()->count_runs(); }
    std::vector<model::Message> messages(std::string_view run_id, int limit) override {
        return readers_.take()->messages(run_id, limit);
    }
    bool has_topic(std::string_view topic) override { return readers_.take()->has_topic(topic); }
    std::vector<model::Worker> workers() override { return readers_.take()->workers(); }
    std::vector<std::string> open_workflows() override { return readers_.take()->open_workflows(); }
    std::vector<QueueInfo> queues(Time now, std::string_view organization) override {
        return readers_.take()->queues(now, organization);
    }
    std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now) override {
        return readers_.take()->place_in_queue(run, now);
    }
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run) override {
        return readers_.take()->budgets(now, run);
    }
    std::vector<model::StoredSchedule> schedules() override { return readers_.take()->schedules(); }
    std::optional<Cached> find_cached(std::string_view key, Time now) override {
        return readers_.take()->find_cached(key, now);
    }
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override {
        return readers_.take()->ledger(filter);
    }
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override {
        return queries_.take()->query(sql, parameters);
    }

    std::int64_t ask(const ControlRequest& request) override {
        return readers_.take()->ask(request);
    }
    std::vector<ControlRequest> questions(Time since) override {
        return readers_.take()->questions(since);
    }
    std::optional<Answer> answer(std::int64_t request_id) override {
        return readers_.take()->answer(request_id);
    }

    std::string name() const override { return address_.shown; }

private:
    Writer& writer();
    std::unique_ptr<Writer> open_writer();

    const Address address_;
    const OpenOptions options_;
    const ConnectOptions connect_;
    Readers readers_;
    Readers queries_;  // of programs, which may be slow
    Reader news_;      // the executor's
    std::unique_ptr<Heart> heart_;
    std::unique_ptr<Writer> writer_;  // null while it could not be opened again
    std::int64_t newest_request_ = 0;
    std::string worker_;  // what the writer was, for when it is opened again
};

}  // namespace belay::store::postgres
