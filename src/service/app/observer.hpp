// observer.hpp — an engine that executes nothing: what others execute on is read, and they are asked.
//
// `serve --observe` puts it in the place of an engine, so that the routes are the same. Reads go to the store. What is
// asked of runs, queues and schedules are control requests, which every engine answers, a program's without a server as
// well. It writes nothing else: tables that nobody has made yet have no rows, and what is defined or declared here is
// left alone. docs/your-own-server.md, "Observing".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <belay/detail/riding_port.hpp>

#include "core/env/clock.hpp"
#include "core/store/store.hpp"
#include "service/cli/place.hpp"

namespace belay::app {

class Observer final : public belay::detail::RidingPort {
public:
    // Opens the store to read and to ask. `own_organization` is the one that is meant where none is named. Throws as
    // cli::open_to_read.
    Observer(const cli::Place& place, const env::Clock& clock, std::string own_organization);

    store::Store& store() { return *store_; }

    // Who executes there now; nothing if nobody does. Of PostgreSQL nobody knows: any number of them may.
    std::optional<model::Executor> executor() const;

    // Asks whoever executes and waits for the answer. Throws Error{StoreUnavailable} if nobody executes (nothing was
    // asked then) or nobody has answered in time (it will be done).
    store::Store::Answer request(std::string kind, std::string run_id, std::string payload,
                                 Duration at_most = std::chrono::seconds{10});

    // A run of that schedule, begun now by whoever executes; its id (model::Trigger). Throws as request.
    std::string trigger(const std::string& schedule, const std::string& mark);

    // ---- as an engine

    void define(std::unique_ptr<belay::detail::Workflow>) override {}
    void migrate(std::string_view, std::vector<std::string>) override {}
    void start() override {}
    void stop() override {}
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
    void control(const std::string& id, store::ControlKind kind, std::string_view reason,
                 belay::detail::Ride ride) override;
    std::string fork(const std::string& id, const ForkOptions& options) override;
    std::string submit_from_outside(belay::detail::Submission submission) override;
    std::string submit_from_outside(belay::detail::Submission submission,
                                    belay::detail::Ride ride) override;
    std::string fork_from_outside(const std::string& id, const ForkOptions& options) override;
    std::string fork_from_outside(const std::string& id, const ForkOptions& options,
                                  belay::detail::Ride ride) override;
    BulkReport bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options) override;
    std::string history(const std::string& id) override;
    ReplayReport replay(std::string_view history) override;
    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options) override;
    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options, belay::detail::Ride ride) override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    void change_queue(const belay::detail::QueueRequest& request) override;
    void change_queue(const belay::detail::QueueRequest& request,
                      belay::detail::Ride ride) override;
    std::vector<QueueInfo> queues() override;
    void change_schedule(const belay::detail::ScheduleRequest& request) override;
    void change_schedule(const belay::detail::ScheduleRequest& request,
                         belay::detail::RideOnSchedule ride) override;
    std::vector<ScheduleInfo> schedules() override;
    BackfillReport backfill(const belay::detail::BackfillRequest& request) override;
    BackfillReport backfill(const belay::detail::BackfillRequest& request,
                            belay::detail::RideOnBackfill ride) override;
    void change_budget(const belay::detail::BudgetRequest& request) override;
    void change_budget(const belay::detail::BudgetRequest& request,
                       belay::detail::Ride ride) override;
    std::vector<BudgetInfo> budgets(const std::string& run_id) override;
    void approve_spending(const belay::detail::ApprovalRequest& request) override {
        approve_spending(request, {});
    }
    void approve_spending(const belay::detail::ApprovalRequest& request,
                          belay::detail::Ride ride) override;
    std::string transact(std::function<std::string(Tx&)> body) override;
    std::unique_ptr<belay::detail::EventSource> watch(const WatchOptions& options) override;
    void remove(const std::string& id) override;

private:
    model::Run run_of(const std::string& id);
    std::string asked(std::string kind, std::string run_id, std::string payload);
    void tell(const belay::detail::Ride& ride, const store::Ridden& told);

    const cli::Place place_;
    const env::Clock& clock_;
    const std::string own_organization_;
    std::unique_ptr<store::Store> store_;
};

}  // namespace belay::app
