#include "core/engine/control.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/bodies.hpp"
#include "core/model/rewind.hpp"

namespace belay::engine {

namespace {
constexpr std::int64_t kNoEpoch = std::numeric_limits<std::int64_t>::max();
}

store::Control control_of(store::Store& store, const std::string& id, store::ControlKind kind,
                          std::string_view reason) {
    store::Control control;
    control.run_id = id;
    control.kind = kind;
    const bool is_cancel = kind == store::ControlKind::Cancel || kind == store::ControlKind::Leave;
    control.reason = !reason.empty()                     ? reason
                     : is_cancel                         ? "canceled on request"
                     : kind == store::ControlKind::Pause ? "paused on request"
                                                         : "";
    if (kind == store::ControlKind::Retry) {
        const auto run = store.find_run(id);
        if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
        const auto plan = model::rewind(store.stages(run->no), run->failure);
        // One that is not over may still write: when it ends, at this very epoch, its stages are others than these.
        control.expected_epoch = model::may_be_retried(*run) ? run->epoch : kNoEpoch;
        control.reset_paths = plan.reset_paths;
        control.forget_paths = plan.forget_paths;
    }
    return control;
}

bool may_be_asked(store::ControlKind kind, const model::Run& run) {
    switch (kind) {
        case store::ControlKind::Cancel:
            return !is_finished(run.status) && !run.undo_plan;
        case store::ControlKind::Leave:
            return !is_finished(run.status);
        case store::ControlKind::Pause:
            return !is_finished(run.status) && run.status != RunStatus::Paused;
        case store::ControlKind::Resume:
            return run.status == RunStatus::Paused || run.pause_requested;
        case store::ControlKind::Retry:
            return model::may_be_retried(run);
    }
    return false;
}

namespace {

bool stands_as_asked(const store::Control& control) {
    const model::Run& run = *control.run;
    switch (control.kind) {
        case store::ControlKind::Cancel:
            return run.status == RunStatus::Canceled || run.undo_plan;
        case store::ControlKind::Leave:
            return is_finished(run.status);
        case store::ControlKind::Pause:
            return run.status == RunStatus::Paused;
        case store::ControlKind::Resume:
            return run.status != RunStatus::Paused && !run.pause_requested;
        case store::ControlKind::Retry:
            return run.epoch > control.expected_epoch;
    }
    return false;
}

}  // namespace

void settle_asked_again(store::Control& control) {
    if (control.outcome != store::ControlResult::Refused || control.lost || !control.run) return;
    if (!stands_as_asked(control)) return;
    control.outcome = store::ControlResult::Done;
    control.why.clear();
}

store::Control control_of(Services& services, const std::string& id, store::ControlKind kind,
                          std::string_view reason) {
    store::Control control = control_of(services.store, id, kind, reason);
    control.on_end = HookMaker(services.bodies, HookMaker::Which::End);
    return control;
}

}  // namespace belay::engine
