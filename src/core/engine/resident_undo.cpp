// resident_undo.cpp — a run that does not succeed takes back what its steps did (docs/undo.md).
//
// Its code ends, or is stopped, as ever. Then the run is taken again, at a new epoch, and its code is called once more
// only to be shown what is recorded: into every scope and every branch, losers included, and no further. That gives the
// undos with their arguments. What the end will be and which steps are undone is one commit; from then on the run does
// only that, whatever crashes: each undo is a step with a record of its own, beside the code's order.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <belay/detail/fan_call.hpp>

#include "core/engine/epilogue.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::CallKind;
using belay::detail::FanCall;

namespace {

constexpr Duration kLookForChildren{5000};

std::string_view parent_of(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

}  // namespace

// Durable before what happens can be: it is pushed before the step's first record.
void Resident::note_undoable() {
    if (undo_ != model::UndoState::None) return;
    undo_ = model::UndoState::Ready;
    services_.writer.ride_along(store::Undo{lease_, store::UndoVerb::MayHappen, {}, {}, {}},
                                [&host = host_, lease = lease_](store::Verb& verb) {
                                    const auto& noted = std::get<store::Undo>(verb);
                                    if (Resident* run = host.find(lease))
                                        run->still_ours(noted.outcome);
                                });
}

// ---- the code is shown what is recorded

Begin Resident::visit(Call& call) {
    if (call.kind == CallKind::Fan) static_cast<FanCall&>(call).visit();
    // One that was started may be a child as well (ChildOptions::when_parent_ends).
    if (call.kind == CallKind::Child || dynamic_cast<belay::detail::StartCall*>(&call) != nullptr)
        undoing_->has_children = true;
    if (!may_go_on()) return Begin::Stop;
    const model::Stage* record = replay_.visit(call.path);
    const bool is_same =
        record == nullptr || (record->stage_key == call.name && record->kind == kind_of(call.kind));
    // Into a scope even if its end is recorded; a fan then asks for its branches again, to have their values.
    if (call.kind == CallKind::Scope && is_same && (record || replay_.has_inside(call.path)) &&
        undoing_->entered.insert(call.path).second) {
        return Begin::Start;
    }
    if (record == nullptr) return visit_nothing(call);
    const belay::detail::Work* work = call.work();
    if (work != nullptr && work->undo && is_same)
        undoing_->found.insert_or_assign(call.path,
                                         Undoing::Found{work->undo->step.lock(), record});
    Replay::Answer answer = replay_.answer(call, *record);
    if (auto* diverged = std::get_if<Replay::Diverged>(&answer)) {
        diverge(std::move(*diverged));
        return Begin::Stop;
    }
    if (std::get<Begin>(answer) != Begin::Recorded) return Begin::Stop;
    note_started(call);
    return Begin::Recorded;
}

// The code goes no further here. Inside a scope that it went through it has done so before: then it is other code.
Begin Resident::visit_nothing(const Call& call) {
    const model::Stage* around = replay_.visit(parent_of(call.path));
    if (around == nullptr || around->kind != model::StageKind::Scope ||
        around->status != StageStatus::Succeeded)
        return Begin::Stop;
    diverge({std::string(to_string(ErrorCode::Nondeterminism)),
             fmt::format("the run is to be undone; at position {} its code asks for `{}`, but the "
                         "history went through scope `{}` without it: the code has changed under "
                         "this run. Put the old way back behind ctx.patch(\"…\"), then resume "
                         "the run.",
                         call.path, call.name, around->stage_key),
             call.name, call.path});
    return Begin::Stop;
}

void Resident::visited() {
    // Those that its end waited for are in its history, after what its code asked for.
    if (may_go_on() && epilogue_ && invocation_->done()) epilogue_->is_over(context_);
    if (may_go_on()) has_diverged_at_end();
    if (!may_go_on()) return after_turn();
    if (!undoing_->is_committed) return make_plan();
    for (const model::UndoneStep& step : undoing_->plan.steps) {
        if (undoing_->found.contains(step.path)) continue;
        diverge({std::string(to_string(ErrorCode::Nondeterminism)),
                 fmt::format("step `{}` at position {} is to be undone, but the code does not say "
                             "how: put its undo back, then resume the run.",
                             step.key, step.path),
                 step.key, step.path});
        return after_turn();
    }
    undo_next();
}

// The newest first: in the order in which they began, whatever their places in the code.
void Resident::make_plan() {
    std::vector<const Undoing::Found*> steps;
    for (const auto& [path, found] : undoing_->found) {
        if (model::is_to_be_undone(*found.record, found.step->work()->undo->of_begun))
            steps.push_back(&found);
    }
    std::sort(steps.begin(), steps.end(), [](const auto* a, const auto* b) {
        return a->record->position > b->record->position;
    });
    model::UndoPlan& plan = undoing_->plan;
    if (steps.empty()) return push_end(plan.end, std::nullopt, plan.failure);
    for (const auto* step : steps)
        plan.steps.push_back({step->record->path, step->record->stage_key});
    stop_children();
}

// ---- nothing else happens in its name

void Resident::stop_children() {
    if (!undoing_->has_children) return begin_undo();
    ask_for_children(store::UndoVerb::StopChildren);
}

void Resident::look_for_children() {
    using Children = Undoing::Children;
    if (undoing_->children == Children::Asked) undoing_->children = Children::AskedAndSomethingCame;
    if (undoing_->children == Children::Open && may_go_on())
        ask_for_children(store::UndoVerb::LookForChildren);
}

void Resident::ask_for_children(store::UndoVerb how) {
    undoing_->children = Undoing::Children::Asked;
    services_.writer.push(store::Undo{lease_, how, {}, {}, {}},
                          [&host = host_, lease = lease_](store::Verb& verb) {
                              if (Resident* run = host.find(lease))
                                  run->children_stopped(std::get<store::Undo>(verb));
                          });
}

void Resident::children_stopped(store::Undo& undo) {
    const bool again = undoing_->children == Undoing::Children::AskedAndSomethingCame;
    undoing_->children = Undoing::Children::Open;
    if (!still_ours(undo.outcome)) return;
    if (!may_go_on()) return after_turn();
    if (undo.open.empty()) return begin_undo();
    if (again) return look_for_children();
    // The commit that ended the last of them may be one that nobody was told of.
    if (std::exchange(undoing_->looks_again, true)) return;
    host_.timers().at(services_.now() + kLookForChildren, [&host = host_, lease = lease_] {
        Resident* run = host.find(lease);
        if (run == nullptr || run->state_ != State::Live) return;
        run->undoing_->looks_again = false;
        run->look_for_children();
    });
}

void Resident::begin_undo() {
    store::Undo begin;
    begin.lease = lease_;
    begin.what = store::UndoVerb::Begin;
    begin.plan = model::to_json(undoing_->plan);
    services_.writer.push(std::move(begin), [&host = host_, lease = lease_](store::Verb& verb) {
        Resident* run = host.find(lease);
        if (run == nullptr || run->state_ != State::Live) return;
        const auto& outcome = std::get<store::Undo>(verb).outcome;
        // Somebody said meanwhile that what it did is to stay: it is picked up with that.
        if (std::holds_alternative<store::Refused>(outcome)) return host.is_lost(*run, true);
        if (!run->still_ours(outcome)) return;
        run->undoing_->is_committed = true;
        if (auto why = std::exchange(run->undoing_->pause, std::nullopt))
            run->stop(Stop::Paused, std::move(*why));
        run->may_go_on() ? run->undo_next() : run->after_turn();
    });
}

// ---- one undo after the other

void Resident::undo_next() {
    const model::UndoPlan& plan = undoing_->plan;
    for (; undoing_->next < plan.steps.size(); ++undoing_->next) {
        const model::UndoneStep& step = plan.steps[undoing_->next];
        const std::string path = model::undo_path(step.path);
        const model::Stage* record = replay_.visit(path);
        if (record != nullptr && record->status == StageStatus::Succeeded) continue;
        if (record != nullptr && record->status == StageStatus::Failed)
            return undo_failed(record->stage_key, path, record->message);

        const Undoing::Found& found = undoing_->found.at(step.path);
        const bool has_happened = found.record->status == StageStatus::Succeeded;
        const std::string output = found.record->output.value_or("null");
        std::shared_ptr<Call> call;
        try {
            call = found.step->work()->undo->call(context_, has_happened ? &output : nullptr);
        } catch (const std::exception& error) {
            return undo_failed("undo/" + step.key, path, error.what());
        }
        call->path = path;
        call->run_shared = shared_;
        last_stage_ = call->name;
        if (record == nullptr) {
            call->entry.position = replay_.next_position();
        } else if (auto answer = replay_.answer(*call, *record);
                   auto* diverged = std::get_if<Replay::Diverged>(&answer)) {
            diverge(std::move(*diverged));
            return after_turn();
        }
        start(std::move(call), {});
        return after_turn();
    }
    push_end(plan.end, std::nullopt, plan.failure);
}

void Resident::undo_ended(Call& call) {
    if (call.loop.error) {
        const model::Failure why = read_run_failure(call.loop.error);
        return undo_failed(call.name, call.path, why.message);
    }
    ++undoing_->next;
    undo_next();
}

void Resident::undo_failed(std::string_view stage, std::string_view path, std::string_view why) {
    // A step's failure begins with its name.
    const bool is_named = why.starts_with(fmt::format("step `{}`", stage));
    const std::string failure =
        is_named ? std::string(why) : fmt::format("step `{}` failed: {}", stage, why);
    push_end(
        RunStatus::Paused, std::nullopt,
        model::Failure{std::string(to_string(ErrorCode::UndoFailed)),
                       failure + "; put it right and resume the run: it goes on with this undo",
                       std::string(stage), std::string(path)});
}

}  // namespace belay::engine
