// new_run.hpp — the run that a submission makes, the same in every store.
#pragma once

#include <string>

#include "core/model/run.hpp"

namespace belay::store {

// As it will be: running, at its first epoch, if the worker `claim_as` takes it at once (it is due, and waits in no
// queue), or queued. Its number and its turn in line are the store's.
model::Run as_created(const model::NewRun& from, const std::string& claim_as, Time now);

// Whether a submission that asks for it opens a run again that stands so.
bool may_be_retried(RunStatus status);

}  // namespace belay::store
