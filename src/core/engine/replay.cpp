#include "core/engine/replay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/context.hpp>
#include <belay/detail/fan_call.hpp>
#include <belay/detail/work.hpp>
#include <belay/error.hpp>
#include <belay/skip.hpp>

#include "core/engine/failure.hpp"
#include "core/engine/steps.hpp"
#include "core/model/awaited.hpp"
#include "core/model/cost.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::CallKind;
using belay::detail::ContextAccess;
using belay::detail::Work;

namespace {

Replay::Diverged diverged(std::string message, std::string_view stage, std::string_view path,
                          ErrorCode code = ErrorCode::Nondeterminism) {
    return {std::string(to_string(code)), std::move(message), std::string(stage),
            std::string(path)};
}

constexpr std::string_view kHowToGoOn =
    "the code has changed under this run. Put the old way back behind ctx.patch(\"…\"), then "
    "resume the run.";

}  // namespace

Replay::Replay(std::vector<model::Stage> history) {
    if (history.empty()) return;
    for (const model::Stage& stage : history) positions_ = std::max(positions_, stage.position);
    history_ = std::make_unique<History>(std::move(history));
}

void Replay::skip_inside(std::string_view path) {
    if (history_) history_->skip_inside(path);
}

void Replay::trim() {
    if (history_ && history_->empty()) history_.reset();
}

const model::Stage* Replay::visit(std::string_view path) {
    return history_ ? history_->visit(path) : nullptr;
}

bool Replay::has_inside(std::string_view path) const {
    return history_ && history_->first_left(fmt::format("{}.", path)) != nullptr;
}

Replay::Answer Replay::answer(Call& call) {
    const model::Stage* record = history_ ? history_->take(call.path) : nullptr;
    if (record == nullptr) return Nothing{};
    return answer(call, *record);
}

Replay::Answer Replay::answer(Call& call, const model::Stage& record) {
    const std::string_view kind = model::to_string(kind_of(call.kind));
    if (record.stage_key != call.name || record.kind != kind_of(call.kind)) {
        return diverged(
            fmt::format(
                "at position {} the history has {} `{}`, but the code asked for {} `{}`: {}",
                call.path, model::to_string(record.kind), record.stage_key, kind, call.name,
                kHowToGoOn),
            call.name, call.path);
    }
    call.entry.position = record.position;
    call.entry.attempt = static_cast<int>(record.attempt);
    call.entry.attempts_before = static_cast<int>(record.attempts_before);
    call.entry.first_started_at = record.started_at;
    if (Work* work = call.work(); work && record.cost && !is_finished(record.status))
        work->found.cost = std::make_unique<Cost>(model::cost_of(record));
    if (Work* work = call.work(); work && model::checkpoint_of(record))
        work->loop.checkpoint = std::make_shared<const std::string>(*model::checkpoint_of(record));
    // A fan's record says from its beginning how many branches it has.
    const bool has_value = record.status == StageStatus::Succeeded ||
                           (call.kind == CallKind::Fan && record.output.has_value());
    if (has_value) {
        try {
            call.accept(record.output.value_or("null"));
        } catch (const std::exception& error) {
            return diverged(
                fmt::format("the record of {} `{}` at position {} does not fit what the code wants "
                            "now: {}. Put the type back and resume the run, or retry it: then what "
                            "is recorded there is forgotten and made again.",
                            kind, call.name, call.path, error.what()),
                call.name, call.path, ErrorCode::BadValue);
        }
    }
    switch (record.status) {
        case StageStatus::Succeeded:
            if (call.kind == CallKind::Scope) history_->skip_inside(call.path);
            if (record.finished_at) ContextAccess::saw(*call.context, *record.finished_at);
            return Begin::Recorded;
        case StageStatus::Failed:
            // A scope's failure is what its code threw: its code is asked again. A fan wants only the words.
            if (call.kind == CallKind::Scope && !call.loop.is_branch) {
                call.loop.failure_recorded = true;
                return Begin::Start;
            }
            if (record.finished_at) ContextAccess::saw(*call.context, *record.finished_at);
            if (call.kind == CallKind::Fan) {
                call.loop.error =
                    static_cast<const belay::detail::FanCall&>(call).failure_as_error();
            } else {
                call.loop.error = failure_of(record);
            }
            if (call.kind == CallKind::Fan || call.kind == CallKind::Scope)
                history_->skip_inside(call.path);
            return Begin::Recorded;
        case StageStatus::Retrying:
            call.entry.attempt = static_cast<int>(record.attempt) + 1;
            call.loop.until = record.next_attempt_at;
            return Begin::Start;
        case StageStatus::Running:
            if (call.kind == CallKind::Sleep || call.kind == CallKind::Receive) {
                call.loop.until = record.next_attempt_at;
            }
            if (call.kind == CallKind::Child) {
                call.child()->id = model::awaited_child(record);
                call.child()->is_recorded = !call.child()->id.empty();
            }
            // It was under way when its process died or stopped: what is made now is another attempt, which the policy
            // does not count.
            if (call.kind == CallKind::Step || call.kind == CallKind::Transaction) {
                ++call.entry.attempt;
                ++call.entry.attempts_before;
            }
            return Begin::Start;
        case StageStatus::Queued:
            // Opened again by a retry of the run: a sleep begins anew, a step gets all its attempts again.
            if (call.kind == CallKind::Sleep) call.entry.first_started_at.reset();
            if (call.kind == CallKind::Child) call.child()->retry_failed = true;
            if (!record.error_code.empty()) {
                call.entry.attempts_before = static_cast<int>(record.attempt);
                ++call.entry.attempt;
            }
            return Begin::Start;
        case StageStatus::Skipped:
            if (!belay::detail::is_skip(call)) return Begin::Start;
            call.accept({});
            if (record.finished_at) ContextAccess::saw(*call.context, *record.finished_at);
            return Begin::Recorded;
        case StageStatus::Canceled:
            return Begin::Start;
    }
    return Begin::Start;
}

std::optional<Replay::Diverged> Replay::left_over(std::string_view inside) const {
    const model::Stage* left = history_ ? history_->first_left(inside) : nullptr;
    if (left == nullptr) return std::nullopt;
    return diverged(
        fmt::format("the code {}, but the history goes on with {} `{}` at position {}: {}",
                    inside.empty() ? "ended" : "left the scope", model::to_string(left->kind),
                    left->stage_key, left->path, kHowToGoOn),
        left->stage_key, left->path);
}

std::optional<Replay::Diverged> Replay::passed(const Call& scope) const {
    if (!scope.loop.failure_recorded) return std::nullopt;
    return diverged(
        fmt::format(
            "at position {} the history has scope `{}` as failed, but the code went through "
            "it: {}",
            scope.path, scope.name, kHowToGoOn),
        scope.name, scope.path);
}

bool Replay::is_new_mark(const std::string& path) {
    if (history_ && history_->has(path)) return false;
    if (!patched_) patched_ = std::make_unique<std::map<std::string, bool, std::less<>>>();
    return patched_->emplace(path, true).second;
}

Replay::Patch Replay::patch(const std::string& path, const std::string& next_path) {
    if (!patched_) patched_ = std::make_unique<std::map<std::string, bool, std::less<>>>();
    if (const auto said = patched_->find(path); said != patched_->end()) {
        return said->second ? Patch::NewWay : Patch::OldWay;
    }
    const bool is_marked = history_ && history_->has(path);
    const bool has_passed = history_ && !is_marked && history_->has(next_path);
    patched_->emplace(path, !has_passed);
    if (has_passed) return Patch::OldWay;
    return is_marked ? Patch::NewWay : Patch::NewWayToMark;
}

}  // namespace belay::engine
