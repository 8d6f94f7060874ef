#include "engine/control.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "engine/bodies.hpp"
#include "model/rewind.hpp"

namespace belay::engine {

store::Control control_of(store::Store& store, const std::string& id, store::ControlKind kind,
                          std::string_view reason) {
    store::Control control;
    control.run_id = id;
    control.kind = kind;
    control.reason = reason;
    if (kind == store::ControlKind::Retry) {
        const auto run = store.find_run(id);
        if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
        const auto plan =
            model::rewind(store.stages(run->no), run->failure ? run->failure->path : "");
        control.expected_epoch = run->epoch;
        control.reset_paths = plan.reset_paths;
        control.forget_paths = plan.forget_paths;
    }
    return control;
}

store::Control control_of(Services& services, const std::string& id, store::ControlKind kind,
                          std::string_view reason) {
    store::Control control = control_of(services.store, id, kind, reason);
    control.on_end = [&bodies = services.bodies](const model::Run& run) { return bodies.on_end(run); };
    return control;
}

}  // namespace belay::engine
