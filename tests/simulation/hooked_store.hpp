// hooked_store.hpp — a store whose commits go through a function: where the simulation puts its faults, and
// its planted bugs.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/store/store.hpp"

namespace belay::test {

class HookedStore final : public store::Store {
public:
    using Commit = std::function<void(store::Store& inner, store::Batch& batch)>;

    struct Hooks {
        Commit commit;
        std::function<void()> before_reopen;
        std::function<void(std::string_view key)> before_find_cached;  // a slow reader
        // A read of a client's call is back: others go on before it is used.
        std::function<void()> after_read;
    };

    HookedStore(std::unique_ptr<store::Store> inner, Hooks hooks)
        : inner_(std::move(inner)), hooks_(std::move(hooks)) {}

    void commit(store::Batch& batch) override { hooks_.commit(*inner_, batch); }

    void reopen() override {
        hooks_.before_reopen();
        inner_->reopen();
    }
    bool changed_outside() override { return inner_->changed_outside(); }
    void migrate(const store::Migrations& migrations) override { inner_->migrate(migrations); }
    std::optional<model::Run> find_run(std::string_view id) override {
        return read([&] { return inner_->find_run(id); });
    }
    std::optional<model::Run> find_run(model::RunNo no) override {
        return read([&] { return inner_->find_run(no); });
    }
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override {
        return inner_->ended_of(ids);
    }
    store::RunPage list_runs(const store::RunFilter& filter) override {
        return inner_->list_runs(filter);
    }
    std::vector<model::Stage> stages(model::RunNo run) override {
        return read([&] { return inner_->stages(run); });
    }
    std::vector<model::Attempt> attempts(model::RunNo run) override {
        return inner_->attempts(run);
    }
    std::vector<model::Death> deaths(model::RunNo run) override { return inner_->deaths(run); }
    store::LabelsOfRuns labels(const std::vector<store::RunNo>& runs) override {
        return inner_->labels(runs);
    }
    std::map<std::string, std::string> exposed(store::RunNo run) override {
        return inner_->exposed(run);
    }
    store::RunCounts count_runs() override { return inner_->count_runs(); }
    std::vector<model::Message> messages(std::string_view run_id, int limit) override {
        return inner_->messages(run_id, limit);
    }
    bool has_topic(std::string_view topic) override { return inner_->has_topic(topic); }
    std::vector<model::Worker> workers() override { return inner_->workers(); }
    std::vector<std::string> open_workflows() override { return inner_->open_workflows(); }
    std::optional<Cached> find_cached(std::string_view key, Time now) override {
        hooks_.before_find_cached(key);
        return inner_->find_cached(key, now);
    }
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override {
        return inner_->ledger(filter);
    }
    std::int64_t collect_garbage() override { return inner_->collect_garbage(); }
    std::vector<QueueInfo> queues(Time now, std::string_view organization) override {
        return inner_->queues(now, organization);
    }
    std::optional<model::QueuePlace> place_in_queue(store::RunNo run, Time now) override {
        return inner_->place_in_queue(run, now);
    }
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run) override {
        return inner_->budgets(now, run);
    }
    std::vector<model::StoredSchedule> schedules() override { return inner_->schedules(); }
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override {
        return inner_->query(sql, parameters);
    }
    std::int64_t ask(const store::ControlRequest& request) override { return inner_->ask(request); }
    std::optional<Answer> answer(std::int64_t request_id) override {
        return inner_->answer(request_id);
    }
    std::string name() const override { return inner_->name(); }

private:
    template <class Read>
    std::invoke_result_t<Read> read(Read reads) {
        auto found = reads();
        if (hooks_.after_read) hooks_.after_read();
        return found;
    }

    std::unique_ptr<store::Store> inner_;
    Hooks hooks_;
};

}  // namespace belay::test
