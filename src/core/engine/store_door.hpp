// store_door.hpp — the store as the engine sees it: open until it is released.
//
// A stopped engine gives its store and its lock back although something may still refer to it: a run handle
// that outlives its Engine, a thread in a step that does not end. Whoever asks after that is told
// Error{Stopped}. A call under way keeps the store until it is back. Called from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <belay/error.hpp>

#include "core/store/news.hpp"
#include "core/store/store.hpp"
#include "core/store/upkeep.hpp"

namespace belay::engine {

class StoreDoor final : public store::Store {
public:
    explicit StoreDoor(std::unique_ptr<store::Store> inner) : inner_(std::move(inner)) {}

    void release() {
        std::shared_ptr<store::Store> last;  // destroyed without the lock
        const std::lock_guard lock(mutex_);
        last.swap(inner_);
    }

    void commit(store::Batch& batch) override { inner()->commit(batch); }
    void reopen() override { inner()->reopen(); }
    bool changed_outside() override { return inner()->changed_outside(); }

    // What other processes did; of a store that only one executes on, whether there are requests.
    store::News news() {
        const auto store = inner();
        auto* outside = dynamic_cast<store::Outside*>(store.get());
        return outside != nullptr ? outside->news()
                                  : store::News{.requests = store->changed_outside(), .runs = {}};
    }
    void on_news(std::function<void()> callback) {
        const auto store = inner();
        if (auto* outside = dynamic_cast<store::Outside*>(store.get()))
            outside->on_news(std::move(callback));
    }

    void migrate(const store::Migrations& migrations) override { inner()->migrate(migrations); }
    std::optional<model::Run> find_run(std::string_view id) override {
        return inner()->find_run(id);
    }
    std::optional<model::Run> find_run(store::RunNo no) override { return inner()->find_run(no); }
    std::vector<model::Run> ended_of(const std::vector<std::string>& ids) override {
        return inner()->ended_of(ids);
    }
    store::RunPage list_runs(const store::RunFilter& filter) override {
        return inner()->list_runs(filter);
    }
    std::vector<model::Stage> stages(store::RunNo run) override { return inner()->stages(run); }
    std::vector<model::Attempt> attempts(store::RunNo run) override {
        return inner()->attempts(run);
    }
    std::vector<model::Death> deaths(store::RunNo run) override { return inner()->deaths(run); }
    store::LabelsOfRuns labels(const std::vector<store::RunNo>& runs) override {
        return inner()->labels(runs);
    }
    std::map<std::string, std::string> exposed(store::RunNo run) override {
        return inner()->exposed(run);
    }
    store::RunCounts count_runs() override { return inner()->count_runs(); }
    std::vector<QueueInfo> queues(Time now, std::string_view organization) override {
        return inner()->queues(now, organization);
    }
    std::optional<model::QueuePlace> place_in_queue(store::RunNo run, Time now) override {
        return inner()->place_in_queue(run, now);
    }
    std::vector<BudgetInfo> budgets(Time now, const model::Run* run) override {
        return inner()->budgets(now, run);
    }
    std::vector<model::StoredSchedule> schedules() override { return inner()->schedules(); }
    std::vector<model::Message> messages(std::string_view run_id, int limit) override {
        return inner()->messages(run_id, limit);
    }
    bool has_topic(std::string_view topic) override { return inner()->has_topic(topic); }
    std::vector<model::Worker> workers() override { return inner()->workers(); }
    std::vector<std::string> open_workflows() override { return inner()->open_workflows(); }
    std::optional<Cached> find_cached(std::string_view key, Time now) override {
        return inner()->find_cached(key, now);
    }
    std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) override {
        return inner()->ledger(filter);
    }
    std::int64_t collect_garbage() override { return inner()->collect_garbage(); }
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override {
        return inner()->query(sql, parameters);
    }
    std::int64_t ask(const store::ControlRequest& request) override {
        return inner()->ask(request);
    }
    std::vector<store::ControlRequest> questions(Time since) override {
        return inner()->questions(since);
    }
    // Whether others may execute on it as well.
    bool is_shared() const { return dynamic_cast<store::Outside*>(inner().get()) != nullptr; }
    std::optional<Answer> answer(std::int64_t request_id) override {
        return inner()->answer(request_id);
    }
    std::string name() const override { return inner()->name(); }

    // As store::Upkeep says.
    std::string held_up() {
        const auto store = inner();
        auto* upkeep = dynamic_cast<store::Upkeep*>(store.get());
        return upkeep != nullptr ? upkeep->held_up() : std::string();
    }

private:
    std::shared_ptr<store::Store> inner() const {
        const std::lock_guard lock(mutex_);
        if (!inner_)
            throw Error(ErrorCode::Stopped, "the engine has stopped, and its store is closed");
        return inner_;
    }

    mutable std::mutex mutex_;
    // Shared with the calls under way.
    std::shared_ptr<store::Store> inner_;
};

}  // namespace belay::engine
