#include "core/testing/door.hpp"

#include <belay/error.hpp>

#include "core/library/replay_program.hpp"

namespace belay::testing {
namespace {

// The same workflow for one more engine.
class Again final : public belay::detail::Workflow {
public:
    explicit Again(std::shared_ptr<belay::detail::Workflow> workflow)
        : Workflow(workflow->key, workflow->options), workflow_(std::move(workflow)) {}

    std::unique_ptr<belay::detail::Invocation> call(Context& context,
                                                    std::string_view input) const override {
        return workflow_->call(context, input);
    }
    std::string input_schema() const override { return workflow_->input_schema(); }
    std::string output_schema() const override { return workflow_->output_schema(); }
    const belay::detail::RunTypes& types() const override { return workflow_->types(); }

private:
    std::shared_ptr<belay::detail::Workflow> workflow_;
};

}  // namespace

void Door::boot() {
    core_ = machine_.boot();
    for (const auto& workflow : workflows_) core_->define(std::make_unique<Again>(workflow));
    for (const auto& [owner, scripts] : migrations_) core_->migrate(owner, scripts);
    if (started_) core_->start();
}

void Door::close() {
    if (library::asked_to_export() && started_ && machine_.has_power())
        library::export_histories(*core_);
    machine_.cut_power();
    core_.reset();
}

engine::Core& Door::core() {
    if (!machine_.has_power()) {
        throw Error(ErrorCode::Stopped, "the process has crashed: restart() starts the next one");
    }
    return *core_;
}

void Door::define(std::unique_ptr<belay::detail::Workflow> workflow) {
    std::shared_ptr<belay::detail::Workflow> kept = std::move(workflow);
    core().define(std::make_unique<Again>(kept));
    workflows_.push_back(std::move(kept));
}

void Door::migrate(std::string_view owner, std::vector<std::string> scripts) {
    core().migrate(owner, scripts);
    migrations_.emplace_back(owner, std::move(scripts));
}

void Door::start() {
    if (library::asked_to_replay()) library::replay_and_exit(core());
    core().start();
    started_ = true;
}

void Door::stop() {
    // Also called by ~Engine, which must not throw because the power is off.
    if (machine_.has_power()) core_->stop();
}

std::vector<std::string> Door::submit(std::vector<belay::detail::Submission> submissions) {
    return core().submit(std::move(submissions));
}
RunStatus Door::status(const std::string& id) { return core().status(id); }
belay::detail::RunEnd Door::wait(const std::string& id, std::optional<Duration> at_most) {
    return core().wait(id, at_most);
}
void Door::when_over(const std::string& id, TellEnd tell) { core().when_over(id, std::move(tell)); }
RunList Door::list(const RunQuery& query, const ListOptions& options) {
    return core().list(query, options);
}
Labels Door::labels(const std::string& id) { return core().labels(id); }
std::map<std::string, std::string> Door::exposed(const std::string& id) {
    return core().exposed(id);
}
std::string Door::ask(const std::string& id, std::string_view name, std::string question,
                      Duration at_most) {
    return core().ask(id, name, std::move(question), at_most);
}
void Door::cancel(const std::string& id, const CancelOptions& options) {
    core().cancel(id, options);
}
void Door::pause(const std::string& id, std::string_view reason) { core().pause(id, reason); }
void Door::resume(const std::string& id) { core().resume(id); }
void Door::retry(const std::string& id) { core().retry(id); }
std::string Door::fork(const std::string& id, const ForkOptions& options) {
    return core().fork(id, options);
}
BulkReport Door::bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options) {
    return core().bulk(action, runs, options);
}
std::string Door::history(const std::string& id) { return core().history(id); }
ReplayReport Door::replay(std::string_view history) { return core().replay(history); }
void Door::send(const std::string& id, std::string_view topic, std::string payload,
                const SendOptions& options) {
    core().send(id, topic, std::move(payload), options);
}

void Door::change_queue(const belay::detail::QueueRequest& request) {
    core().change_queue(request);
}
std::vector<QueueInfo> Door::queues() { return core().queues(); }
void Door::change_schedule(const belay::detail::ScheduleRequest& request) {
    core().change_schedule(request);
}
std::vector<ScheduleInfo> Door::schedules() { return core().schedules(); }
BackfillReport Door::backfill(const belay::detail::BackfillRequest& request) {
    return core().backfill(request);
}
void Door::change_budget(const belay::detail::BudgetRequest& request) {
    core().change_budget(request);
}
std::vector<BudgetInfo> Door::budgets(const std::string& run_id) { return core().budgets(run_id); }
void Door::approve_spending(const belay::detail::ApprovalRequest& request) {
    core().approve_spending(request);
}

SqlResult Door::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return core().query(sql, parameters);
}
std::string Door::transact(std::function<std::string(Tx&)> body) {
    return core().transact(std::move(body));
}

void Door::remove(const std::string& id) { core().remove(id); }

// Of this process: it ends with it.
std::unique_ptr<belay::detail::EventSource> Door::watch(const WatchOptions& options) {
    return core().watch(options);
}

}  // namespace belay::testing
