#include "service/app/observer.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/env/parker.hpp"
#include "core/env/time_zones.hpp"
#include "core/library/host.hpp"
#include "core/model/trigger.hpp"

namespace belay::app {

namespace json = boost::json;

namespace {

constexpr Duration kLookEvery{20};

[[noreturn]] void not_here(std::string_view what) {
    throw Error(
        ErrorCode::StoreLocked,
        fmt::format("this server only observes: {} is for the process that executes", what));
}

// The tables of whoever has never started there are not there.
bool is_no_such_table(const Error& error) {
    const std::string_view text = error.what();
    return error.code() == ErrorCode::InvalidArgument &&
           (text.find("no such table") != std::string_view::npos ||
            (text.find("relation \"") != std::string_view::npos &&
             text.find("does not exist") != std::string_view::npos));
}

// What a rider sees of the store, after what it rides with.
class ReadTx final : public belay::detail::TxPort {
public:
    ReadTx(Observer& observer, Time now) : observer_(observer), now_(now) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return observer_.query(sql, parameters);
    }
    std::string submit(std::string_view, std::string, const SubmitOptions&) override {
        not_here("a run in a transaction");
    }
    void send(const std::string&, std::string_view, std::string, const SendOptions&) override {
        not_here("a message in a transaction");
    }
    const std::string& run_id() const override { return none_; }
    Time now() const override { return now_; }

private:
    Observer& observer_;
    const Time now_;
    const std::string none_;
};

}  // namespace

Observer::Observer(const cli::Place& place, const env::Clock& clock, std::string own_organization)
    : place_(place), clock_(clock), own_organization_(std::move(own_organization)),
      store_(cli::open_to_read(place)) {}

std::optional<model::Executor> Observer::executor() const { return cli::executor_of(place_); }

store::Store::Answer Observer::request(std::string kind, std::string run_id, std::string payload,
                                       Duration at_most) {
    if (place_.address.empty() && !executor()) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("nobody executes on {} now, so that nobody can be asked: start the "
                                "program whose store it is, and ask again",
                                shown(place_)));
    }
    store::ControlRequest asking;
    asking.kind = std::move(kind);
    asking.run_id = std::move(run_id);
    asking.payload = std::move(payload);
    asking.created_at = clock_.now();
    const std::int64_t number = store_->ask(asking);
    env::Parker parker;
    auto answer = store_->answer(number);
    for (Duration waited{0}; !answer && waited < at_most; waited += kLookEvery) {
        parker.park_for(kLookEvery);
        answer = store_->answer(number);
    }
    if (answer) return *std::move(answer);
    throw Error(ErrorCode::StoreUnavailable,
                fmt::format("whoever executes on this store has not answered yet; what was asked "
                            "is recorded (request {}) and is done when they come to it",
                            number));
}

std::string Observer::asked(std::string kind, std::string run_id, std::string payload) {
    store::Store::Answer answer =
        request(std::string(engine::kCoded) + kind, std::move(run_id), std::move(payload));
    if (!answer.ok) throw engine::refusal_of(answer.text);
    return std::move(answer.text);
}

void Observer::tell(const belay::detail::Ride& ride, const store::Ridden& told) {
    if (!ride) return;
    ReadTx port{*this, clock_.now()};
    Tx tx{port};
    ride(tx, told);
}

// ---- runs

std::vector<std::string> Observer::submit(std::vector<belay::detail::Submission> submissions) {
    std::vector<std::string> ids;
    for (auto& one : submissions) ids.push_back(submit_from_outside(std::move(one)));
    return ids;
}

model::Run Observer::run_of(const std::string& id) {
    auto run = store_->find_run(id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    return *std::move(run);
}

RunStatus Observer::status(const std::string& id) { return run_of(id).status; }

belay::detail::RunEnd Observer::wait(const std::string&, std::optional<Duration>) {
    not_here("waiting for a run's end");
}
void Observer::when_over(const std::string&, TellEnd) { not_here("waiting for a run's end"); }

RunList Observer::list(const RunQuery& query, const ListOptions& options) {
    return engine::list_of(*store_, query, options);
}
Labels Observer::labels(const std::string& id) { return engine::labels_of(*store_, run_of(id).no); }
std::map<std::string, std::string> Observer::exposed(const std::string& id) {
    return store_->exposed(run_of(id).no);
}

std::string Observer::ask(const std::string& id, std::string_view name, std::string question,
                          Duration at_most) {
    const engine::Question asking{std::string(name), std::move(question), clock_.now() + at_most};
    store::Store::Answer answer = request("ask", id, asking.as_request(), at_most);
    if (!answer.ok) throw Error(ErrorCode::NoAnswer, answer.text);
    return std::move(answer.text);
}

void Observer::control(const std::string& id, store::ControlKind kind, std::string_view reason,
                       belay::detail::Ride ride) {
    const auto word = [kind]() -> std::string {
        switch (kind) {
            case store::ControlKind::Cancel:
                return "cancel";
            case store::ControlKind::Leave:
                return "leave";
            case store::ControlKind::Pause:
                return "pause";
            case store::ControlKind::Resume:
                return "resume";
            case store::ControlKind::Retry:
                break;
        }
        return "retry";
    };
    asked(word(), id, std::string(reason));
    const model::Run run = run_of(id);
    tell(ride, {.run = &run});
}

void Observer::cancel(const std::string& id, const CancelOptions& options) {
    control(id, options.undo ? store::ControlKind::Cancel : store::ControlKind::Leave,
            options.reason, {});
}
void Observer::pause(const std::string& id, std::string_view reason) {
    control(id, store::ControlKind::Pause, reason, {});
}
void Observer::resume(const std::string& id) { control(id, store::ControlKind::Resume, "", {}); }
void Observer::retry(const std::string& id) { control(id, store::ControlKind::Retry, "", {}); }

std::string Observer::submit_from_outside(belay::detail::Submission submission) {
    return submit_from_outside(std::move(submission), {});
}

std::string Observer::submit_from_outside(belay::detail::Submission submission,
                                          belay::detail::Ride ride) {
    const SubmitOptions& options = submission.options;
    std::string id =
        asked("submit", options.id, engine::Requests::submit_payload(submission, clock_.now()));
    const auto run = store_->find_run(id);
    if (run) tell(ride, {.run = &*run});
    return id;
}

std::string Observer::fork(const std::string& id, const ForkOptions& options) {
    return fork_from_outside(id, options, {});
}
std::string Observer::fork_from_outside(const std::string& id, const ForkOptions& options) {
    return fork_from_outside(id, options, {});
}
std::string Observer::fork_from_outside(const std::string& id, const ForkOptions& options,
                                        belay::detail::Ride ride) {
    std::string made = asked("fork", id, engine::fork_request(options));
    const auto run = store_->find_run(made);
    if (run) tell(ride, {.run = &*run});
    return made;
}

BulkReport Observer::bulk(BulkAction, const RunQuery&, const BulkOptions&) {
    not_here("a change of many runs");
}

std::string Observer::history(const std::string& id) { return store::history_of(*store_, id); }

ReplayReport Observer::replay(std::string_view) { not_here("a replay"); }

void Observer::send(const std::string& id, std::string_view topic, std::string payload,
                    const SendOptions& options) {
    send(id, topic, std::move(payload), options, {});
}

void Observer::send(const std::string& id, std::string_view topic, std::string payload,
                    const SendOptions& options, belay::detail::Ride ride) {
    const std::string done =
        asked("send", id,
              json::serialize(json::object{
                  {"topic", topic},
                  {"payload", payload},
                  {"dedupe_key", options.dedupe_key},
                  {"organization_id", options.organization_id.empty() ? own_organization_
                                                                      : options.organization_id}}));
    tell(ride, {.duplicate = done == "duplicate"});
}

void Observer::remove(const std::string& id) { asked("delete", id, ""); }

// ---- rows

SqlResult Observer::query(std::string_view sql, std::span<const SqlValue> parameters) {
    try {
        return store_->query(sql, parameters);
    } catch (const Error& error) {
        if (is_no_such_table(error)) return {};
        throw;
    }
}

std::string Observer::transact(std::function<std::string(Tx&)>) { not_here("a change of rows"); }

std::unique_ptr<belay::detail::EventSource> Observer::watch(const WatchOptions&) {
    not_here("the engine's own feed");
}

// ---- queues and schedules

void Observer::change_queue(const belay::detail::QueueRequest& request) {
    // What a program declares here is declared where it executes.
    if (request.what != belay::detail::QueueRequest::What::Declare) change_queue(request, {});
}

void Observer::change_queue(const belay::detail::QueueRequest& request, belay::detail::Ride ride) {
    asked(engine::kQueueRequest, "", engine::to_payload(request));
    tell(ride, {});
}

std::vector<QueueInfo> Observer::queues() { return store_->queues(clock_.now(), ""); }

void Observer::change_schedule(const belay::detail::ScheduleRequest& request) {
    if (request.what != belay::detail::ScheduleRequest::What::Declare) change_schedule(request, {});
}

void Observer::change_schedule(const belay::detail::ScheduleRequest& request,
                               belay::detail::RideOnSchedule ride) {
    asked(engine::kScheduleRequest, "", engine::to_payload(request));
    if (!ride) return;
    ReadTx port{*this, clock_.now()};
    Tx tx{port};
    for (const ScheduleInfo& one : schedules()) {
        if (one.name == request.name) return ride(tx, one);
    }
    ride(tx, ScheduleInfo{});
}

std::string Observer::trigger(const std::string& schedule, const std::string& mark) {
    return asked(model::kTriggerRequest, "", to_json(model::Trigger{schedule, mark}));
}

BackfillReport Observer::backfill(const belay::detail::BackfillRequest& request) {
    return backfill(request, {});
}

BackfillReport Observer::backfill(const belay::detail::BackfillRequest& request,
                                  belay::detail::RideOnBackfill ride) {
    const BackfillReport report =
        engine::backfill_report(asked(engine::kBackfillRequest, "", engine::to_payload(request)));
    if (!ride) return report;
    ReadTx port{*this, clock_.now()};
    Tx tx{port};
    ride(tx, report);
    return report;
}

std::vector<ScheduleInfo> Observer::schedules() {
    env::TimeZones zones;
    std::vector<ScheduleInfo> infos;
    for (const auto& stored : store_->schedules())
        infos.push_back(engine::info_of(stored, zones, clock_.now()));
    return infos;
}

// ---- budgets

void Observer::change_budget(const belay::detail::BudgetRequest& request) {
    if (request.what != belay::detail::BudgetRequest::What::Declare) change_budget(request, {});
}

void Observer::change_budget(const belay::detail::BudgetRequest& request,
                             belay::detail::Ride ride) {
    asked(engine::kBudgetRequest, "", engine::to_payload(request));
    tell(ride, {});
}

std::vector<BudgetInfo> Observer::budgets(const std::string& run_id) {
    if (run_id.empty()) return store_->budgets(clock_.now(), nullptr);
    const model::Run run = run_of(run_id);
    return store_->budgets(clock_.now(), &run);
}

void Observer::approve_spending(const belay::detail::ApprovalRequest& request,
                                belay::detail::Ride ride) {
    asked(engine::kApprovalRequest, request.run_id, engine::to_payload(request));
    const model::Run run = run_of(request.run_id);
    tell(ride, {.run = &run});
}

}  // namespace belay::app
