// resident_fans.cpp — the fans of a run: their records, and what they leave behind.
#include "core/engine/failure.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

#include <fmt/format.h>

#include <belay/detail/fan_call.hpp>

namespace belay::engine {

using belay::detail::ContextAccess;
using belay::detail::FanCall;

// Its size is in the history before any of its branches.
void Resident::begin_fan(Call& call) {
    if (!call.entry.first_started_at) call.entry.first_started_at = services_.now();
    model::Stage stage = stage_of(call, StageStatus::Running);
    stage.output = to_json(static_cast<FanCall&>(call).record());
    ride_along(std::move(stage));
}

void Resident::branch_ended(std::shared_ptr<Call> branch) {
    if (!undoing_) ended_branches_.push_back(std::move(branch));
}

// Called when no code of the run is on the stack: a fan that is over drops its branches.
void Resident::tell_fans() {
    while (!ended_branches_.empty() && may_go_on()) {
        const std::shared_ptr<Call> branch = std::move(ended_branches_.back());
        ended_branches_.pop_back();
        if (const auto fan = branch->loop.fan.lock()) fan->branch_ended(*branch);
    }
}

std::size_t Resident::stop_inside(FanCall& fan) {
    const std::string inside = fan.path + ".";
    if (sayings_) forget_answers(inside);
    std::vector<std::shared_ptr<Call>> losers;
    for (const auto& call : active_) {
        if (call->path.starts_with(inside)) losers.push_back(call);
    }
    std::size_t left = 0;
    for (const auto& call : losers) {
        Work* work = call->work();
        if (work != nullptr) work->loop.stop.request_stop();
        fan.left_behind.push_back(call);
        const bool waits = !may_follow(call->loop.state, CallState::Losing);
        if (waits || (work != nullptr && host_.steps().abandon(*work))) {
            host_.steps().is_over(*call);
            if (work != nullptr) work->gate.withdraw();
            if (awaiting_) awaiting_->erase(call->path);
            remove_active(*call);
            continue;
        }
        // It refers to a frame of the run, or its end is on its way to disk.
        enter(*call, CallState::Losing);
        call->loop.loser_of = fan.weak_from_this();
        ++left;
    }
    return left;
}

void Resident::loser_ended(Call& call) {
    if (const auto fan = call.loop.loser_of.lock(); fan && may_go_on()) fan->loser_ended();
    after_turn();
}

void Resident::end_fan(std::shared_ptr<FanCall> fan, bool derived) {
    store::Record record;
    record.lease = lease_;
    record.stage = stage_of(*fan, fan->has_failed() ? StageStatus::Failed : StageStatus::Succeeded);
    // What follows from the branches has the time of the last of them, however often it is made.
    record.stage.finished_at = derived ? fan->sink().now() : services_.now();
    record.stage.output = to_json(fan->record());
    if (fan->has_failed()) {
        const model::Failure why = read_run_failure(fan->loop.error);
        record.stage.message = why.message;
        record.stage.error_code = why.code;
        has_failed(fan->name, fan->path);
    }
    if (derived) {
        ContextAccess::saw(*fan->context, *record.stage.finished_at);
        return ride_along(std::move(record.stage));
    }
    record.skip_inside = true;
    for (const auto& call : fan->left_behind) {
        if (call->loop.fan.lock() != fan) continue;  // inside a branch: its row is enough
        model::Stage skipped = stage_of(*call, StageStatus::Skipped);
        skipped.finished_at = record.stage.finished_at;
        record.skipped.push_back(std::move(skipped));
    }
    fan->left_behind.clear();
    add_active(fan);
    enter(*fan, CallState::Recording);
    services_.writer.push(std::move(record),
                          [&host = host_, lease = lease_, fan](store::Verb& verb) {
                              if (Resident* run = host.find(lease))
                                  run->fan_recorded(fan, std::get<store::Record>(verb));
                          });
}

void Resident::fan_recorded(const std::shared_ptr<FanCall>& fan, store::Record& record) {
    if (!still_ours(record.outcome)) return;
    const bool has_lost = fan->loop.state == CallState::Losing;
    remove_active(*fan);
    if (has_lost) return loser_ended(*fan);
    ContextAccess::saw(*fan->context, *record.stage.finished_at);
    // What was recorded of those who had lost before a crash is done with.
    replay_.skip_inside(fan->path);
    if (!may_go_on()) return after_turn();
    fan->ended();
    after_turn();
}

void Resident::fan_replayed(FanCall& fan) { replay_.skip_inside(fan.path); }

void Resident::fan_has_gap(FanCall& fan, std::string_view branch) {
    if (stop_ != Stop::None) return;
    diverge({std::string(to_string(ErrorCode::Nondeterminism)),
             fmt::format("fan `{}` at position {} is recorded as ended, but the record of its "
                         "branch `{}` is missing "
                         "or is not the end of it: the history was changed from outside, or the "
                         "code under this run.",
                         fan.name, fan.path, branch),
             fan.name, fan.path});
}

}  // namespace belay::engine
