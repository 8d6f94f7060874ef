// engine.hpp — defines workflows, runs them, and hands out runs.
//
// An Engine owns a store, a few threads and the runs that are in memory. All its members may be called
// from any thread. From a workflow's own code, a transaction body, a commit part or a hook of the same
// engine, whatever would wait for the engine throws Error{InvalidArgument} that says what to use instead;
// a step may call anything but stop().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>
#include <belay/control.hpp>
#include <belay/detail/workflow.hpp>
#include <belay/feed.hpp>
#include <belay/budget.hpp>
#include <belay/options.hpp>
#include <belay/queue.hpp>
#include <belay/runs.hpp>
#include <belay/schedule.hpp>
#include <belay/sql.hpp>
#include <belay/status.hpp>
#include <belay/store_config.hpp>
#include <belay/tx.hpp>
#include <belay/workflow.hpp>

namespace belay {

namespace detail {

// What is asked of a queue. Declare makes it, or changes it if what the code declares has changed.
struct QueueRequest {
    enum class What { Declare, Set, Pause, Resume, Remove };
    What what = What::Declare;
    std::string name{};
    QueueLimits limits{};  // Declare, Set
    std::string reason{};  // Pause
};

// The same of a schedule.
struct ScheduleRequest {
    enum class What { Declare, Set, Pause, Resume, Remove };
    What what = What::Declare;
    std::string name{};
    std::string workflow{};     // Declare, Set; and the next two
    std::string input{"null"};  // JSON
    ScheduleOptions options{};
};

// Past ticks of a schedule that are to be made up for.
struct BackfillRequest {
    std::string name{};
    Time from{};
    Time to{};
    BackfillOptions options{};
};

// The same of a budget. `by` is the organization that asks; empty: the engine's own.
struct BudgetRequest {
    enum class What { Declare, Set, Remove };
    What what = What::Declare;
    std::string name{};
    Budget budget{};
    std::string by{};
};

// A person lets a run that is paused by a budget go on. No limit: what it asked for, once.
struct ApprovalRequest {
    std::string run_id{};
    Money limit{};
    std::string by{};
};

class EnginePort : public RunsPort {
public:
    virtual void define(std::unique_ptr<Workflow> workflow) = 0;
    virtual void migrate(std::string_view owner, std::vector<std::string> scripts) = 0;
    virtual void start() = 0;
    virtual void stop() = 0;
    virtual void release() { stop(); }  // also gives back the store and its lock
    virtual std::string fork(const std::string& id,
                             const ForkOptions& options) = 0;  // the new run's id
    virtual BulkReport bulk(BulkAction action, const RunQuery& runs,
                            const BulkOptions& options) = 0;
    virtual std::string history(const std::string& id) = 0;  // as `belay runs export` writes it
    virtual ReplayReport replay(std::string_view history) = 0;
    virtual SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) = 0;
    virtual void change_queue(const QueueRequest& request) = 0;
    virtual std::vector<QueueInfo> queues() = 0;
    virtual void change_schedule(const ScheduleRequest& request) = 0;
    virtual std::vector<ScheduleInfo> schedules() = 0;
    virtual BackfillReport backfill(const BackfillRequest& request) = 0;
    virtual void change_budget(const BudgetRequest& request) = 0;
    virtual std::vector<BudgetInfo> budgets(const std::string& run_id) = 0;  // empty: of the day
    virtual void approve_spending(const ApprovalRequest& request) = 0;
    // Gives what the body returned. Throws what the body threw, and nothing of it was written.
    virtual std::string transact(std::function<std::string(Tx&)> body) = 0;
    virtual std::unique_ptr<EventSource> watch(const WatchOptions& options) = 0;
    virtual void remove(const std::string& id) = 0;
};

// For what serves an engine (server.hpp): the way to its port.
struct EngineDoor;

}  // namespace detail

class Engine : public Runs {
public:
    // Opens the store, and brings its schema up to date. Throws Error{StoreLocked} naming the process
    // that executes on it already, {SchemaTooNew}, {StoreUnavailable}.
    explicit Engine(const StoreConfig& store, const EngineOptions& options = {});
    // For the test kit: an engine made of given parts.
    explicit Engine(std::shared_ptr<detail::EnginePort> port)
        : Runs(port), port_(std::move(port)) {}
    // As stop(), and gives the store and its lock back, whoever still holds a Run of it.
    ~Engine() { port_->release(); }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Says what code runs under `key`. Define everything before start(): a run whose workflow is not
    // defined here stays where it is.
    template <class F>
    void define(std::string key, F function, WorkflowOptions options = {}) {
        using W = typename detail::MakeWorkflow<F>::type;
        port_->define(std::make_unique<W>(std::move(key), std::move(options), std::move(function)));
    }

    // The same under a handle's key (workflow.hpp); a function of other types does not compile.
    template <class In, class Out, class F>
    void define(const Workflow<In, Out>& workflow, F function, WorkflowOptions options = {}) {
        detail::check_handle<F, In, Out>();
        define(std::string(workflow.key()), std::move(function), std::move(options));
    }
    // Which of several functions of one name is meant, nobody can tell.
    template <class Dependent = void>
    void define(const std::string&, detail::NotOneFunction, WorkflowOptions = {}) {
        detail::say_not_one_function<Dependent>();
    }

    // Tables of the program's own, beside Belay's: script n is applied once, in order, in a transaction. Before
    // start(). Throws Error{InvalidArgument} with the database's message, {SchemaTooNew}, {StoreUnavailable}.
    void migrate(std::string_view owner, std::vector<std::string> scripts) {
        port_->migrate(owner, std::move(scripts));
    }

    // Picks up every unfinished run, and runs what is due.
    void start() { port_->start(); }

    // Takes no new work, lets steps under way finish (asking them to stop), puts unfinished runs back. Steps
    // that have not ended after ten seconds are left behind, named in the log: their runs are put back, the
    // store and its lock are released, and stop() returns when those steps have ended, because a thread cannot
    // be killed. A store that cannot be written does not hold it up: the next start recovers the runs.
    // Idempotent; a second caller waits for the first.
    void stop() { port_->stop(); }

    // What a worker's main() ends with: start(), wait for SIGTERM or SIGINT, stop(). Gives 0. Steps that have not ended within `stop_within` cannot be ended but with the process, which then exits
    // with 1: their runs were put back and the store is closed. So does a second signal while it stops. Call it on
    // the main thread, before the program starts threads of its own: they would take the signals.
    int run(Duration stop_within = std::chrono::seconds(30));

    // A new run that keeps what that one has recorded before a step, and goes on from there, with another input
    // or with other outputs of the steps it keeps. The run itself is left as it is. Throws Error{NotFound} for
    // the run or a step, {InvalidArgument} for JSON that is none or a name that stands for several steps
    // (the message has their paths), {BadValue} for an input that is not the workflow's, {InputMismatch} if a run has
    // the id that was asked for, {UnknownWorkflow}.
    template <class R = boost::json::value>
    Run<R> fork(const std::string& id, const ForkOptions& options = {}) {
        return Run<R>{port_, port_->fork(id, options)};
    }

    // The same of every run that is like that, in small batches, newest first. A run that stands so that it
    // cannot be done any more is counted as refused and stops nobody. Throws Error{InvalidArgument} for a
    // query without any condition.
    BulkReport bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options = {}) {
        return port_->bulk(action, runs, options);
    }

    // Everything recorded of a run, as one JSON document: what `belay runs export` writes.
    std::string history(const std::string& id) { return port_->history(id); }

    // Runs the workflow as it is defined here against such a document: no step runs, nothing is written.
    // Says whether today's code asks for what is recorded, and if not where it first does not. Throws
    // Error{BadValue} for a document that is none, {UnknownWorkflow}.
    ReplayReport replay(std::string_view history) { return port_->replay(history); }

    // Deletes the record of a run that is over: stages, messages, large values. Its id stays taken (P3), tables
    // of the program's own are not touched. Throws as the four above, and {InvalidArgument} if the run is not
    // over or an unfinished one awaits it.
    void remove(const std::string& id) { port_->remove(id); }

    // What happens from now on, as it is committed (belay/feed.hpp). Throws Error{InvalidArgument} for a
    // buffer of nothing.
    EventStream watch(const WatchOptions& options = {}) {
        return EventStream{port_->watch(options)};
    }

    // ---- queues (queue.hpp). All are durable when they return, and take effect at once: what is running
    // goes on. They throw Error{InvalidArgument} for a name or a limit that cannot be, {NotFound} for a queue
    // that does not exist, {StoreUnavailable}, {CommitUnknown}, {Stopped}.

    // Makes the queue, before or after start(). One that exists keeps its limits, which someone may have
    // changed since, unless this says something else than it said the last time.
    void queue(std::string_view name, const QueueLimits& limits = {}) {
        port_->change_queue({detail::QueueRequest::What::Declare, std::string(name), limits, {}});
    }
    // Changes its limits, all of them.
    void set_queue(std::string_view name, const QueueLimits& limits) {
        port_->change_queue({detail::QueueRequest::What::Set, std::string(name), limits, {}});
    }
    // No run of it begins or goes on after a wait until resume_queue().
    void pause_queue(std::string_view name, std::string_view reason = {}) {
        port_->change_queue(
            {detail::QueueRequest::What::Pause, std::string(name), {}, std::string(reason)});
    }
    void resume_queue(std::string_view name) {
        port_->change_queue({detail::QueueRequest::What::Resume, std::string(name), {}, {}});
    }
    // Throws {InvalidArgument} while a run in it has not finished.
    void remove_queue(std::string_view name) {
        port_->change_queue({detail::QueueRequest::What::Remove, std::string(name), {}, {}});
    }
    // All of them, by name.
    std::vector<QueueInfo> queues() { return port_->queues(); }

    // ---- schedules (schedule.hpp). As with queues; also {InvalidArgument} for a cron expression or a time
    // zone that cannot be used, saying what is wrong with it.

    // Makes the schedule, or changes it if this says something else than the last time; one that was paused
    // stays so. It fires in any engine that has started and defines the workflow. The first tick is the first
    // after now, also when the times of an existing schedule are changed.
    template <class In>
    requires(!std::is_same_v<In, ScheduleOptions>) void schedule(std::string_view name,
                                                                 std::string_view workflow,
                                                                 const In& input,
                                                                 const ScheduleOptions& options) {
        port_->change_schedule({detail::ScheduleRequest::What::Declare, std::string(name),
                                std::string(workflow), to_json(input), options});
    }
    // A workflow without input.
    void schedule(std::string_view name, std::string_view workflow,
                  const ScheduleOptions& options) {
        port_->change_schedule({detail::ScheduleRequest::What::Declare, std::string(name),
                                std::string(workflow), "null", options});
    }
    // By a handle.
    template <class In, class Out>
    void schedule(std::string_view name, const Workflow<In, Out>& workflow,
                  const std::type_identity_t<In>& input, const ScheduleOptions& options) {
        schedule(name, workflow.key(), input, options);
    }
    template <class Out>
    void schedule(std::string_view name, const Workflow<void, Out>& workflow,
                  const ScheduleOptions& options) {
        schedule(name, workflow.key(), options);
    }
    // Ticks while it is paused are lost, whatever its catch-up policy.
    void pause_schedule(std::string_view name) {
        port_->change_schedule(
            {detail::ScheduleRequest::What::Pause, std::string(name), {}, {}, {}});
    }
    void resume_schedule(std::string_view name) {
        port_->change_schedule(
            {detail::ScheduleRequest::What::Resume, std::string(name), {}, {}, {}});
    }
    // Starts the runs of the ticks that the schedule has, as it stands now, from `from` on and before `to`: those from
    // before it was made, or that were lost. Each run has the id of its tick, so one that has run is not run twice, and
    // a tick that fires meanwhile joins it. Those to come are left to the schedule. All of them, or none, are durable
    // when it returns; they run beside each other whatever the schedule says of overlapping (give it a queue), and no
    // tick that fires waits for them. Also {InvalidArgument} for a span that ends before it begins or a limit that
    // cannot be.
    BackfillReport backfill(std::string_view name, Time from, Time to,
                            const BackfillOptions& options = {}) {
        return port_->backfill({std::string(name), from, to, options});
    }
    // Its runs stay.
    void remove_schedule(std::string_view name) {
        port_->change_schedule(
            {detail::ScheduleRequest::What::Remove, std::string(name), {}, {}, {}});
    }
    // All of them, by name.
    std::vector<ScheduleInfo> schedules() { return port_->schedules(); }

    // ---- budgets (budget.hpp). As with queues; {InvalidArgument} for a limit that cannot be.

    // Sets the budget, before or after start(). One that exists keeps what someone has changed since, unless this says
    // something else than it said the last time.
    void budget(std::string_view name, const Budget& limit) {
        port_->change_budget(
            {detail::BudgetRequest::What::Declare, std::string(name), limit, {}});
    }
    void set_budget(std::string_view name, const Budget& limit) {
        port_->change_budget({detail::BudgetRequest::What::Set, std::string(name), limit, {}});
    }
    void remove_budget(std::string_view name) {
        port_->change_budget({detail::BudgetRequest::What::Remove, std::string(name), {}, {}});
    }
    // All of them, by who set them and by name, as they stand today; with a run, those that count it, for that run.
    std::vector<BudgetInfo> budgets(const std::string& run_id = {}) {
        return port_->budgets(run_id);
    }
    // A run that is paused because a paid step would go over a budget goes on: with the calls that it asked for, once;
    // or, with a limit, under that limit for this run (a budget per run) or for today. Throws Error{NotFound},
    // {InvalidArgument} with a sentence if it is not paused for that or the limit does not do.
    void approve_spending(const std::string& run_id, const Money& limit = {}) {
        port_->approve_spending({run_id, limit, {}});
    }

    // Reads the program's own tables, outside any run.
    template <class... Args>
    SqlRows query(std::string_view sql, const Args&... args) {
        const std::vector<SqlValue> values{detail::to_sql(args)...};
        return SqlRows{port_->query(sql, values)};
    }

    // Writes the program's own tables, outside any run, and may start runs with Tx::submit: all of it
    // commits, or none. Durable when it returns; gives what `function` returned. The rules for bodies hold
    // (tx.hpp): SQL only, short, and it may be called twice. Throws what `function` threw,
    // Error{StoreUnavailable} if nothing was written, Error{CommitUnknown} if it may have been.
    template <class F>
    auto transact(F&& function) -> std::invoke_result_t<F&, Tx&> {
        using R = std::invoke_result_t<F&, Tx&>;
        if constexpr (std::is_void_v<R>) {
            port_->transact([&](Tx& tx) {
                function(tx);
                return std::string{};
            });
        } else {
            std::optional<R> result;
            port_->transact([&](Tx& tx) {
                result.emplace(function(tx));
                return std::string{};
            });
            return *std::move(result);
        }
    }

private:
    friend struct detail::EngineDoor;

    std::shared_ptr<detail::EnginePort> port_;
};

}  // namespace belay
