#include "core/engine/turn.hpp"

#include "core/engine/resident.hpp"

namespace belay::engine {

TurnWatch::Guard::Guard(TurnWatch& watch, const Resident& run)
    : Guard(watch, run, run.lease().epoch) {}

TurnWatch::Guard::Guard(TurnWatch& watch, const Resident& run, std::int64_t epoch)
    : watch_(watch), inside_(&watch.services_.bodies, Inside::Where::Workflow),
      executing_(watch.services_.box, run.lease().run.value, epoch, {}) {
    const std::lock_guard lock(watch_.mutex_);
    watch_.since_ = watch_.services_.now();
    watch_.run_ = &run;
}

TurnWatch::Guard::~Guard() {
    const std::lock_guard lock(watch_.mutex_);
    watch_.since_.reset();
    watch_.run_ = nullptr;
}

void TurnWatch::forget(const Resident& run) {
    const std::lock_guard lock(mutex_);
    if (run_ != &run) return;
    since_.reset();
    run_ = nullptr;
}

std::optional<TurnWatch::Turn> TurnWatch::under_way() const {
    const std::lock_guard lock(mutex_);
    if (!since_) return std::nullopt;
    return Turn{run_->id(), run_->workflow_key(), *since_};
}

}  // namespace belay::engine
