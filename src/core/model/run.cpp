#include "core/model/run.hpp"

#include <fmt/format.h>

namespace belay::model {

std::string name_of_history(const Run& run) {
    return run.generation == 0 ? run.id : fmt::format("{}#{}", run.id, run.generation);
}

std::string seed_name(const Run& run) {
    if (run.generation > 0 || run.seed_id.empty()) return name_of_history(run);
    return run.seed_id;
}

const Stall* stall_of(const Run& run) {
    if (!run.stall || is_finished(run.status) || run.status == RunStatus::Paused) return nullptr;
    return run.updated_at > run.stall->at ? nullptr : &*run.stall;
}

}  // namespace belay::model
