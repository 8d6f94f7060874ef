// resident_calls.cpp — what the workflow's code asks of its run: steps, scopes, patches.
//
// Each is answered from the record for as long as there is one; from there on it begins.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/limits.hpp"
#include "engine/failure.hpp"
#include "engine/resident.hpp"
#include "engine/writer.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::CallKind;
using belay::detail::ContextAccess;

Begin Resident::begin(StepCall& call) {
    if (!may_go_on()) return Begin::Stop;
    if (!call.is_branch) call.path = ContextAccess::next_path(*call.context);
    call.run_shared = shared_;
    if (call.name.empty() || call.name.size() > base::kStepNameCharsMax) {
        // Thrown where it is awaited, and not as a failure of the step: an optional one must not hide it.
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a step's name has 1 to {} characters; this one, at position {}, has {}",
                                base::kStepNameCharsMax, call.path, call.name.size()));
    }
    last_stage_ = call.name;
    failed_.reset();
    Replay::Answer answer = replay_.answer(call);
    if (auto* diverged = std::get_if<Replay::Diverged>(&answer)) {
        diverge(std::move(*diverged));
        return Begin::Stop;
    }
    if (const auto* begin = std::get_if<Begin>(&answer)) {
        if (*begin == Begin::Recorded) ++services_.counters.steps_replayed;
        if (call.error) has_failed(call.name, call.path);
        if (*begin == Begin::Start && call.kind == CallKind::Fan) begin_fan(call);
        return *begin;
    }
    if (replay_.positions() >= static_cast<std::int64_t>(base::kHistoryRecordsMax)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a run's history has at most {} records; split this workflow into several runs",
                                base::kHistoryRecordsMax));
    }
    call.position = replay_.next_position();
    call.first_started_at.reset();
    if (call.kind == CallKind::Scope) {
        call.first_started_at = services_.now();
        note(stage_of(call, StageStatus::Running));
    }
    if (call.kind == CallKind::Fan) begin_fan(call);
    return Begin::Start;
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
    if (way != Replay::Patch::NewWayToMark) return way == Replay::Patch::NewWay;
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

void Resident::scope_succeeded(StepCall& call) {
    if (has_diverged_at_end(call.path + ".")) return;
    if (call.output.size() > base::kPayloadBytesMax) {
        const Error error(ErrorCode::PayloadTooLarge,
                          fmt::format("scope `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                                      call.name, call.output.size(), base::kPayloadBytesMax));
        scope_failed(call, std::make_exception_ptr(error));
        throw error;
    }
    if (auto diverged = replay_.passed(call)) return diverge(std::move(*diverged));
    model::Stage stage = stage_of(call, StageStatus::Succeeded);
    stage.finished_at = services_.now();
    // A replay takes the time from the record of the scope, so the first time must as well.
    ContextAccess::saw(*call.context, *stage.finished_at);
    stage.output = call.output;
    // Derived from what is inside, so nobody waits for it: if it is lost, the replay makes it again.
    note(std::move(stage));
}

void Resident::scope_failed(StepCall& call, std::exception_ptr error) {
    if (call.failure_recorded) return;
    const model::Failure why = read_run_failure(error);
    model::Stage stage = stage_of(call, StageStatus::Failed);
    stage.finished_at = services_.now();
    stage.message = why.message;
    stage.error_code = why.code;
    // A branch's fan is told the same as in a replay.
    if (call.is_branch) call.error = failure_of(stage);
    note(std::move(stage));
}

void Resident::note(model::Stage stage, std::vector<model::Attempt> attempts, bool is_progress) {
    store::Record record;
    record.lease = lease_;
    record.stage = std::move(stage);
    record.attempts = std::move(attempts);
    record.clear_recoveries = is_progress && recoveries_ > 0;
    services_.writer.push(std::move(record), [&host = host_, lease = lease_](store::Verb& verb) {
        // What rides along is part of the history all the same: without it the run cannot go on.
        const auto& written = std::get<store::Record>(verb);
        const bool applied = std::holds_alternative<store::Applied>(written.outcome);
        if (applied && !written.clear_recoveries) return;
        Resident* run = host.find(lease);
        if (run == nullptr) return;
        if (applied) return run->made_progress();
        run->still_ours(written.outcome);
    });
}

}  // namespace belay::engine
