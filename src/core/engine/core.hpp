// core.hpp — the engine: its parts put together, and its door for other threads.
//
// Callers come from any thread and wait here; the parts live on the Loop lane and never wait. With an
// executor that has no threads (simulation) a caller that waits drives it instead.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <belay/detail/riding_port.hpp>
#include <belay/engine.hpp>

#include "core/base/limits.hpp"
#include "core/engine/answer.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/deaths.hpp"
#include "core/engine/expected.hpp"
#include "core/engine/feed.hpp"
#include "core/engine/newsroom.hpp"
#include "core/engine/questions.hpp"
#include "core/engine/requests.hpp"
#include "core/engine/scheduler.hpp"
#include "core/engine/schedules.hpp"
#include "core/engine/services.hpp"
#include "core/engine/store_door.hpp"
#include "core/engine/submissions.hpp"
#include "core/engine/watchdog.hpp"
#include "core/engine/watchers.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

class Core;

// What an engine is made of. `keep` holds whatever must live as long as the engine does (the owners of
// the clock, the random numbers and the executor).
struct Parts {
    std::unique_ptr<store::Store> store;
    Environment world;
    EngineOptions options;
    LogSink log;
    std::shared_ptr<void> keep;
    AttemptObserver on_attempt{};
    std::function<void(Core&)>
        instead_of_start{};                     // called by start(), which does nothing else then
    std::function<void(Core&)> before_stop{};   // called once, by the first stop()
    std::function<void(Core&)> before_start{};  // called by start(), before the first claim
    std::unique_ptr<env::BlackBoxes> boxes{};   // null: nobody keeps whose code executes
};

class Core final : public belay::detail::RidingPort {
public:
    explicit Core(Parts parts);
    ~Core() override;

    void define(std::unique_ptr<belay::detail::Workflow> workflow) override;
    void migrate(std::string_view owner, std::vector<std::string> scripts) override;
    void start() override;
    void stop() override;
    void release() override;
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
    std::string submit_from_outside(belay::detail::Submission submission) override {
        return submit_from_outside(std::move(submission), {});
    }
    std::string submit_from_outside(belay::detail::Submission submission,
                                    belay::detail::Ride ride) override;
    std::string fork_from_outside(const std::string& id, const ForkOptions& options) override {
        return fork_from_outside(id, options, {});
    }
    std::string fork_from_outside(const std::string& id, const ForkOptions& options,
                                  belay::detail::Ride ride) override;
    BulkReport bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options) override;
    std::string history(const std::string& id) override;
    ReplayReport replay(std::string_view history) override;
    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options) override {
        send(id, topic, std::move(payload), options, {});
    }
    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options, belay::detail::Ride ride) override;
    void change_queue(const belay::detail::QueueRequest& request) override {
        change_queue(request, {});
    }
    void change_queue(const belay::detail::QueueRequest& request,
                      belay::detail::Ride ride) override;
    std::vector<QueueInfo> queues() override;
    void change_schedule(const belay::detail::ScheduleRequest& request) override {
        change_schedule(request, {});
    }
    void change_schedule(const belay::detail::ScheduleRequest& request,
                         belay::detail::RideOnSchedule ride) override;
    std::vector<ScheduleInfo> schedules() override;
    BackfillReport backfill(const belay::detail::BackfillRequest& request) override {
        return backfill(request, {});
    }
    BackfillReport backfill(const belay::detail::BackfillRequest& request,
                            belay::detail::RideOnBackfill ride) override;
    void change_budget(const belay::detail::BudgetRequest& request) override {
        change_budget(request, {});
    }
    void change_budget(const belay::detail::BudgetRequest& request,
                       belay::detail::Ride ride) override;
    std::vector<BudgetInfo> budgets(const std::string& run_id) override;
    void approve_spending(const belay::detail::ApprovalRequest& request) override {
        approve_spending(request, {});
    }
    void approve_spending(const belay::detail::ApprovalRequest& request,
                          belay::detail::Ride ride) override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    std::string transact(std::function<std::string(Tx&)> body) override;
    std::unique_ptr<belay::detail::EventSource> watch(const WatchOptions& options) override;
    void remove(const std::string& id) override;

    // Handles requests of other processes of that kind (`belay tokens create` asks so): a transaction that
    // is given the request's payload, and whose result is the answer. What it throws is the refusal. Give
    // them before start().
    using RequestBody = Requests::Body;
    void on_request(std::string kind, RequestBody body);
    // The same for what is no transaction: the handler is called on the Loop lane, must not wait there, and tells from
    // any thread when it is done. Its effect and the answer are two commits: it is asked again if the process dies
    // between them, under the same id.
    void on_request_later(std::string kind, Requests::Handler handler);

    // Looks for runs that nothing will ever wake and marks them, or takes the marks away; gives how many it
    // changed. A threaded engine does it by itself every few seconds.
    std::int64_t look_for_stalls();

    // A hook for the end of every workflow's runs, after its own, in the same transaction. Before the first
    // define().
    void on_run_end(Hook hook) { on_run_end_ = std::move(hook); }

    const Counters& counters() const { return counters_; }
    // What is defined; nothing is added once it has started.
    const Workflows& workflows() const { return workflows_; }
    const EngineOptions& options() const { return parts_.options; }
    store::Store& store() { return store_; }
    std::size_t callers_waiting() { return watchers_.count(); }
    std::size_t runs_in_memory() const { return scheduler_.runs_here(); }  // on the Loop lane
    std::size_t verbs_waiting() const { return writer_.waiting(); }

    // Why a write would be refused or would have to wait; nothing if none would. Told for a few seconds more than it
    // lasts: a full disk takes a small write now and then.
    std::optional<std::string> not_ready();

    // stop() waits so long for steps; what then still runs is left behind. Before stop().
    void set_stop_grace(Duration grace) { stop_grace_ = grace; }

private:
    void on_commit_lane(std::function<void()> what);
    bool stop_scheduler();  // true: steps that did not end may still be on threads
    void refuse_while_broken() const;
    store::Rider rider_of(belay::detail::Ride ride);
    // ---- core_asking.cpp
    void handle_questions();
    void hear_questions();
    std::string answer_of(std::int64_t request, Time until);
    model::Run run_of(const std::string& id);
    void commit_control(store::Control control, belay::detail::Ride ride);
    // core_queues.cpp
    void handle_queue_requests();
    std::optional<std::string> closed_queue_of(const model::Run& run);
    template <class Change>
    void commit_change(Change change, std::function<void(std::exception_ptr)> told);
    template <class Change>
    void change(Change change);

    void look_outside();
    void take_news();
    // ---- core_control.cpp
    std::string new_id();
    void refuse_unless_open(std::string_view what);
    std::string commit_fork(store::Submit submit, belay::detail::Ride ride);
    void act_on(BulkAction action, const std::vector<std::string>& ids, const BulkOptions& options,
                BulkReport& report);
    void watch();
    void say_what_holds_up();
    void notice_blocked_loop();
    std::optional<RunName> name_of(model::RunNo run);

    Parts parts_;
    std::string worker_;
    Log log_;
    Hook on_run_end_{};
    Counters counters_;
    Workflows workflows_;
    StoreDoor store_;
    Writer writer_;
    Expected expected_;
    Bodies bodies_;
    Feed feed_;
    Services services_;
    Deaths deaths_;
    Watchers watchers_;
    Scheduler scheduler_;
    Submissions submissions_;
    Requests requests_;
    Questions questions_;
    Schedules schedules_;
    env::TimeZones zones_;  // for callers; from any thread
    Watchdog watchdog_;
    std::string held_up_;  // as it was logged; of the watchdog's job
    Newsroom newsroom_;

    std::mutex stop_mutex_;  // a second stop() waits for the first
    std::mutex mutex_;       // guards the next two
    std::atomic<bool> started_{false};
    bool stopping_ = false;
    std::atomic<bool> news_posted_{false};
    std::atomic<Duration> stop_grace_{base::kStopGraceDefault};
    std::mutex trouble_mutex_;
    std::string trouble_;
    std::optional<Time> trouble_seen_;
    std::optional<Time> warned_turn_;  // on the Commit lane
    int looks_ = 0;                    // outside, on the Commit lane
};

}  // namespace belay::engine
