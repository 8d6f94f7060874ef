// resident_calls.cpp — what the workflow's code asks of its run: steps, scopes, patches.
//
// Each is answered from the record for as long as there is one; from there on it begins.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/refusals.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::CallKind;
using belay::detail::ContextAccess;

Begin Resident::begin(Call& call) {
    if (!may_go_on()) return Begin::Stop;
    if (!call.loop.is_branch) call.path = ContextAccess::next_path(*call.context);
    call.run_shared = shared_;
    if (undoing_) return visit(call);
    if (call.name.empty() || call.name.size() > base::kStepNameCharsMax) {
        // Thrown where it is awaited, and not as a failure of the step: an optional one must not hide it.
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("a step's name has 1 to {} characters; this one, at position {}, has {}",
                        base::kStepNameCharsMax, call.path, call.name.size()));
    }
    check_start(call);
    last_stage_ = call.name;
    failed_.reset();
    if (const belay::detail::Work* work = call.work(); work && work->undo) note_undoable();
    Replay::Answer answer = replay_.answer(call);
    if (auto* diverged = std::get_if<Replay::Diverged>(&answer)) {
        diverge(std::move(*diverged));
        return Begin::Stop;
    }
    if (const auto* begin = std::get_if<Begin>(&answer)) {
        if (*begin == Begin::Recorded) ++services_.counters.steps_replayed;
        if (call.loop.error) has_failed(call.name, call.path);
        if (*begin == Begin::Recorded) note_started(call);
        if (*begin == Begin::Start && call.kind == CallKind::Fan) begin_fan(call);
        return *begin;
    }
    check_history_length();
    call.entry.position = replay_.next_position();
    call.entry.first_started_at.reset();
    if (call.kind == CallKind::Scope) {
        call.entry.first_started_at = services_.now();
        ride_along(stage_of(call, StageStatus::Running));
    }
    if (call.kind == CallKind::Fan) begin_fan(call);
    return Begin::Start;
}

void Resident::check_history_length() {
    const auto most = static_cast<std::int64_t>(services_.options.history_records_max);
    const std::int64_t records = replay_.positions();
    if (records >= most) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "run `{}` has {} records, the most that a run may have. Let its workflow begin "
                "anew "
                "before that, with ctx.continue_as_new(next), or give parts of the work to runs of "
                "their own, with ctx.child.",
                shared_->id, records));
    }
    // Once, while there is time to do something about it.
    if (records == most / 10 * 8 && records > 0) {
        services_.log(
            LogLevel::Warning, "history_long",
            fmt::format(
                "run `{}` of {} has {} of at most {} records: its workflow should begin anew "
                "with ctx.continue_as_new before it fails.",
                shared_->id, workflow_.key, records, most),
            about());
    }
}

// Recorded beside the code's order, as a patch is: it costs nothing where it holds, and needs no place.
void Resident::expects(std::string_view prefix) {
    if (workflow_.key.starts_with(prefix)) return;
    const std::string message = guard_refusal(prefix, shared_->id, workflow_.key);
    last_stage_ = "guard";
    const std::string path = fmt::format("guard:{}", prefix);
    if (!undoing_ && replay_.is_new_mark(path)) {
        model::Stage guard;
        guard.path = path;
        guard.stage_key = "guard";
        guard.kind = model::StageKind::Guard;
        guard.status = StageStatus::Skipped;
        guard.position = replay_.next_position();
        guard.started_at = guard.finished_at = services_.now();
        guard.message = message;
        note(std::move(guard));
    }
    throw Error(ErrorCode::InvalidArgument, message);
}

void Resident::continue_as_new(Context& context, std::string input) {
    check_continue(context, input);
    if (may_go_on() && !undoing_) continue_with_ = std::make_unique<std::string>(std::move(input));
}

void Resident::has_failed(std::string_view stage, std::string_view path) {
    failed_ = std::make_unique<std::pair<std::string, std::string>>(stage, path);
}

bool Resident::patch(Context& context, std::string_view name) {
    if (name.empty() || name.size() > base::kStepNameCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a patch's name has 1 to {} characters; this one has {}",
                                base::kStepNameCharsMax, name.size()));
    }
    std::string path = fmt::format("patch:{}", name);
    const Replay::Patch way = replay_.patch(path, ContextAccess::peek_path(context));
    if (way != Replay::Patch::NewWayToMark || undoing_) return way != Replay::Patch::OldWay;
    model::Stage marker;
    marker.path = path;
    marker.stage_key = name;
    marker.kind = model::StageKind::Patch;
    marker.status = StageStatus::Succeeded;
    marker.position = replay_.next_position();
    marker.started_at = marker.finished_at = services_.now();
    marker.output = "true";
    note(std::move(marker));
    return true;
}

void Resident::scope_succeeded(Call& call, std::string output) {
    if (sayings_) forget_answers(call.path + ".");
    if (has_diverged_at_end(call.path + ".")) return;
    if (undoing_) {
        const model::Stage* record = replay_.visit(call.path);
        if (record && record->finished_at) ContextAccess::saw(*call.context, *record->finished_at);
        return;
    }
    if (output.size() > base::kPayloadBytesMax) {
        const Error error(
            ErrorCode::PayloadTooLarge,
            fmt::format("scope `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                        call.name, output.size(), base::kPayloadBytesMax));
        scope_failed(call, std::make_exception_ptr(error));
        throw error;
    }
    if (auto diverged = replay_.passed(call)) return diverge(std::move(*diverged));
    model::Stage stage = stage_of(call, StageStatus::Succeeded);
    stage.finished_at = services_.now();
    // A replay takes the time from the record of the scope, so the first time must as well.
    ContextAccess::saw(*call.context, *stage.finished_at);
    stage.output = std::move(output);
    // Derived from what is inside, so nobody waits for it: if it is lost, the replay makes it again. After a branch's own
    // end the run may write nothing for as long as another branch takes.
    call.loop.is_branch ? note(std::move(stage)) : ride_along(std::move(stage));
}

void Resident::scope_failed(Call& call, std::exception_ptr error) {
    if (sayings_) forget_answers(call.path + ".");
    if (call.loop.failure_recorded || undoing_) return;
    const model::Failure why = read_run_failure(error);
    model::Stage stage = stage_of(call, StageStatus::Failed);
    stage.finished_at = services_.now();
    stage.message = why.message;
    stage.error_code = why.code;
    // A branch's fan is told the same as in a replay.
    if (call.loop.is_branch) call.loop.error = failure_of(stage);
    call.loop.is_branch ? note(std::move(stage)) : ride_along(std::move(stage));
}

void Resident::note(model::Stage stage, std::vector<model::Attempt> attempts, bool is_progress,
                    store::Record::Settles settles) {
    store::Record record;
    record.lease = lease_;
    record.stage = std::move(stage);
    record.attempts = std::move(attempts);
    record.clear_recoveries = is_progress && recoveries_ > 0;
    record.settles = settles;
    services_.writer.push(std::move(record), noted());
}

void Resident::ride_along(model::Stage stage) {
    store::Record record;
    record.lease = lease_;
    record.stage = std::move(stage);
    services_.writer.ride_along(std::move(record), noted());
}

base::UniqueFunction<void(store::Verb&)> Resident::noted() {
    return [&host = host_, lease = lease_](store::Verb& verb) {
        // What rides along is part of the history all the same: without it the run cannot go on.
        const auto& written = std::get<store::Record>(verb);
        const bool applied = std::holds_alternative<store::Applied>(written.outcome);
        if (applied && !written.clear_recoveries) return;
        Resident* run = host.find(lease);
        if (run == nullptr) return;
        if (applied) return run->made_progress();
        run->still_ours(written.outcome);
    };
}

}  // namespace belay::engine
