// core_queues.cpp — queues, schedules and budgets, for callers in this process and requests of others.
#include <algorithm>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/engine/backfill.hpp"
#include "core/engine/budget_requests.hpp"
#include "core/engine/control.hpp"
#include "core/engine/core.hpp"
#include "core/engine/inside.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/queue_requests.hpp"
#include "core/model/queue_json.hpp"
#include "core/model/trigger.hpp"

namespace belay::engine {

namespace {

template <class Change>
std::exception_ptr error_of_change(const Change& change) {
    if (change.rider.failed) return change.rider.failed;
    try {
        throw_unless_done(change);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

std::string text_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "it failed";
    }
}

}  // namespace

// Commits the change and tells `told` what came of it; on the Loop lane.
template <class Change>
void Core::commit_change(Change change, std::function<void(std::exception_ptr)> told) {
    writer_.push(std::move(change), [this, told = std::move(told)](store::Verb& verb) {
        // The other limits may let a run begin, the other times may make a tick due.
        if constexpr (std::is_same_v<Change, store::ChangeQueue>) {
            if (started_) scheduler_.claim_soon();
        } else if constexpr (std::is_same_v<Change, store::ChangeSchedule>) {
            schedules_.read();
        }
        told(error_of_change(std::get<Change>(verb)));
    });
}

template <class Change>
void Core::change(Change change) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
        refuse_while_broken();
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    const auto promise = std::make_shared<Promise>(answer);
    commit_change(std::move(change), [promise](std::exception_ptr error) { promise->keep(error); });
    answer->wait();
}

void Core::change_queue(const belay::detail::QueueRequest& request, belay::detail::Ride ride) {
    Inside::refuse(&bodies_, "Engine::queue, set_queue, pause_queue, resume_queue or remove_queue");
    store::ChangeQueue asked = change_of(request);
    asked.rider = rider_of(std::move(ride));
    change(std::move(asked));
}

void Core::change_schedule(const belay::detail::ScheduleRequest& request,
                           belay::detail::RideOnSchedule ride) {
    Inside::refuse(&bodies_,
                   "Engine::schedule, pause_schedule, resume_schedule or remove_schedule");
    store::ChangeSchedule asked = change_of(request, zones_, parts_.options.organization_id);
    if (ride) {
        asked.rider = rider_of([this, ride = std::move(ride)](Tx& tx, const store::Ridden& told) {
            ride(tx, told.schedule != nullptr ? info_of(*told.schedule, zones_, tx.now())
                                              : ScheduleInfo{});
        });
    }
    change(std::move(asked));
}

void Core::change_budget(const belay::detail::BudgetRequest& request, belay::detail::Ride ride) {
    Inside::refuse(&bodies_, "Engine::budget, set_budget or remove_budget");
    store::ChangeBudget asked = change_of(request, parts_.options.organization_id);
    asked.rider = rider_of(std::move(ride));
    change(std::move(asked));
}

std::vector<BudgetInfo> Core::budgets(const std::string& run_id) {
    const Time now = parts_.world.clock.now();
    if (run_id.empty()) return store_.budgets(now, nullptr);
    const model::Run run = run_of(run_id);
    return store_.budgets(now, &run);
}

void Core::approve_spending(const belay::detail::ApprovalRequest& request,
                            belay::detail::Ride ride) {
    refuse_unless_open("Engine::approve_spending");
    store::Control control = control_of(services_, request.run_id, store::ControlKind::Resume, "");
    control.approves = approval_of(request, parts_.options.organization_id);
    commit_control(std::move(control), std::move(ride));
}

std::vector<QueueInfo> Core::queues() { return store_.queues(parts_.world.clock.now(), ""); }

std::vector<ScheduleInfo> Core::schedules() {
    std::vector<ScheduleInfo> infos;
    for (const model::StoredSchedule& stored : store_.schedules()) {
        infos.push_back(info_of(stored, zones_, parts_.world.clock.now()));
    }
    return infos;
}

BackfillReport Core::backfill(const belay::detail::BackfillRequest& request,
                              belay::detail::RideOnBackfill ride) {
    Inside::refuse(&bodies_, "Engine::backfill");
    refuse_unless_open("Engine::backfill");
    const auto rows = store_.schedules();
    Backfill planned =
        plan_backfill(request, rows, zones_, parts_.world.clock.now(), parts_.options.code_version);
    admit(planned, workflows_, rows);
    store::Transact transact = transact_of(std::move(planned));
    if (ride) {
        transact.rider = rider_of([ride = std::move(ride)](Tx& tx, const store::Ridden& told) {
            ride(tx, backfill_report(*told.output));
        });
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    BackfillReport report;
    writer_.push(std::move(transact),
                 [this, promise = Promise(answer), &report](store::Verb& verb) mutable {
                     try {
                         report = report_of(std::get<store::Transact>(verb));
                     } catch (...) {
                         return promise.keep(std::current_exception());
                     }
                     bodies_.has_submitted();
                     promise.keep();
                 });
    answer->wait();
    return report;
}

void Core::handle_queue_requests() {
    const auto told = [](const Requests::Tell& answer) {
        return
            [answer](std::exception_ptr error) { answer(!error, error ? text_of(error) : "done"); };
    };
    requests_.handle_with(kQueueRequest, [this, told](const store::ControlRequest& request,
                                                      const Requests::Tell& answer) {
        store::ChangeQueue asked = change_of(queue_request(request.payload));
        asked.rider = Requests::answered_with(request, [](const auto&) { return "done"; });
        commit_change(std::move(asked), told(answer));
    });
    requests_.handle_with(kScheduleRequest, [this, told](const store::ControlRequest& request,
                                                         const Requests::Tell& answer) {
        const belay::detail::ScheduleRequest wanted = schedule_request(request.payload);
        store::ChangeSchedule asked = change_of(wanted, zones_, parts_.options.organization_id);
        // Where its workflow is not defined it is asked about by whoever would let it fire (schedules.cpp).
        if (workflows_.contains(wanted.workflow)) {
            admit_from_outside(workflows_, wanted.workflow, asked.schedule.organization_id,
                               wanted.input);
        }
        asked.rider = Requests::answered_with(request, [](const auto&) { return "done"; });
        commit_change(std::move(asked), told(answer));
    });
    requests_.handle_with(model::kTriggerRequest, [this](const store::ControlRequest& request,
                                                         const Requests::Tell& answer) {
        const auto asked = from_json<model::Trigger>(request.payload);
        const auto all = store_.schedules();
        const auto stored = std::ranges::find(all, asked.schedule, [](const auto& one) {
            return std::string_view(one.schedule.name);
        });
        if (stored == all.end()) {
            throw Error(ErrorCode::NotFound,
                        fmt::format("there is no schedule `{}`", asked.schedule));
        }
        belay::detail::Submission run{
            stored->schedule.workflow_key, stored->schedule.input,
            model::options_of_trigger(info_of(*stored, zones_, parts_.world.clock.now()),
                                      asked.mark),
            nullptr};
        // What the program declared is its own to start; what others made comes from outside.
        if (!leave_to_first_claim(store_, workflows_, run) && !is_declared(*stored)) {
            admit_from_outside(workflows_, run.workflow, run.options.organization_id, run.input);
        }
        submissions_.check(run);
        std::function<void(std::exception_ptr)> end =
            [answer, id = run.options.id](const std::exception_ptr& error) {
                answer(!error, error ? text_of(error) : id);
            };
        Submissions::Ready ready = submissions_.prepare(
            std::move(run), started_, Promise(std::move(end)), [&request](const std::string&) {
                return Requests::answered_with(
                    request, [](const store::Ridden& made) { return made.run->id; });
            });
        writer_.push(std::move(ready.entry.verb), std::move(ready.entry.done));
    });
    requests_.handle_with(kBackfillRequest, [this](const store::ControlRequest& request,
                                                   const Requests::Tell& answer) {
        const auto rows = store_.schedules();
        Backfill planned = plan_backfill(backfill_request(request.payload), rows, zones_,
                                         parts_.world.clock.now(), parts_.options.code_version);
        admit(planned, workflows_, rows);
        store::Transact transact = transact_of(std::move(planned));
        transact.rider = Requests::answered_with(
            request, [](const store::Ridden& told) { return *told.output; });
        writer_.push(std::move(transact), [this, answer](store::Verb& verb) {
            try {
                const BackfillReport report = report_of(std::get<store::Transact>(verb));
                bodies_.has_submitted();
                answer(true, to_json(report));
            } catch (...) {
                answer(false, text_of(std::current_exception()));
            }
        });
    });
    requests_.handle_with(kBudgetRequest, [this, told](const store::ControlRequest& request,
                                                       const Requests::Tell& answer) {
        store::ChangeBudget asked =
            change_of(budget_request(request.payload), parts_.options.organization_id);
        asked.rider = Requests::answered_with(request, [](const auto&) { return "done"; });
        commit_change(std::move(asked), told(answer));
    });
    watchdog_.queue_is_closed = [this](const model::Run& run) { return closed_queue_of(run); };
}

// Nothing gets such a run going until a person changes its queue.
std::optional<std::string> Core::closed_queue_of(const model::Run& run) {
    if (run.queue.empty()) return std::nullopt;
    const Time now = parts_.world.clock.now();
    const auto place = store_.place_in_queue(run.no, now);
    if (!place) return std::nullopt;
    const bool takes_nothing = place->queue.limits.concurrency.value_or(1) == 0;
    if (place->held_up_by != model::HeldUpBy::Paused && !takes_nothing) return std::nullopt;
    const model::QueueSentence told = model::sentence_of(*place, now);
    return fmt::format("{} {}.", told.text, told.to_do);
}

}  // namespace belay::engine
