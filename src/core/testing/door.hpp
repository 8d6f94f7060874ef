// door.hpp — the engine as a test holds it, the same over every restart.
//
// Remembers what was defined, so that the next process has it too. Without power every call throws
// Error{Stopped}, as a call to a process that is gone would.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <belay/engine.hpp>

#include "core/engine/core.hpp"
#include "core/testing/machine.hpp"

namespace belay::testing {

class Door final : public belay::detail::EnginePort {
public:
    Door(std::uint64_t seed, const EngineOptions& options) : machine_(seed, options) { boot(); }
    ~Door() override { close(); }

    void boot();
    // Without the goodbye of stop().
    void close();
    Machine& machine() { return machine_; }

    void define(std::unique_ptr<belay::detail::Workflow> workflow) override;
    void migrate(std::string_view owner, std::vector<std::string> scripts) override;
    void start() override;
    void stop() override;
    std::vector<std::string> submit(std::vector<belay::detail::Submission> submissions) override;
    RunStatus status(const std::string& id) override;
    belay::detail::RunEnd wait(const std::string& id, std::optional<Duration> at_most) override;
    void when_over(const std::string& id, TellEnd tell) override;
    RunList list(const RunQuery& query, const ListOptions& options) override;
    Labels labels(const std::string& id) override;
    std::map<std::string, std::string> exposed(const std::string& id) override;
    std::string ask(const std::string& id, std::string_view name, std::string question,
                    Duration at_most) override;
    void cancel(const std::string& id, const CancelOptions& options) override;
    void pause(const std::string& id, std::string_view reason) override;
    void resume(const std::string& id) override;
    void retry(const std::string& id) override;
    std::string fork(const std::string& id, const ForkOptions& options) override;
    BulkReport bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options) override;
    std::string history(const std::string& id) override;
    ReplayReport replay(std::string_view history) override;
    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options) override;
    void change_queue(const belay::detail::QueueRequest& request) override;
    std::vector<QueueInfo> queues() override;
    void change_schedule(const belay::detail::ScheduleRequest& request) override;
    std::vector<ScheduleInfo> schedules() override;
    BackfillReport backfill(const belay::detail::BackfillRequest& request) override;
    void change_budget(const belay::detail::BudgetRequest& request) override;
    std::vector<BudgetInfo> budgets(const std::string& run_id) override;
    void approve_spending(const belay::detail::ApprovalRequest& request) override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    std::string transact(std::function<std::string(Tx&)> body) override;
    std::unique_ptr<belay::detail::EventSource> watch(const WatchOptions& options) override;
    void remove(const std::string& id) override;

private:
    engine::Core& core();

    Machine machine_;  // here, because a run that was handed out may outlive its World
    // Each is kept here and by the engine of the moment, which cannot know which of them is the last.
    std::vector<std::shared_ptr<belay::detail::Workflow>> workflows_;
    std::vector<std::pair<std::string, std::vector<std::string>>> migrations_;
    bool started_ = false;
    std::shared_ptr<engine::Core> core_;
};

}  // namespace belay::testing
