// failure_of.hpp — what a hook or body threw, as the failure that is recorded.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "core/model/run.hpp"

namespace belay::store {

// The exception's message and, for an Error, its code; RunFailed for anything else.
model::Failure failure_of(const std::exception_ptr& error);

// Adds to why a run failed at its start that its on_end hook failed as well; the same sentence is not said twice.
void add_end_failure(model::Failure& failure, const std::exception_ptr& of_hook);

// Why a run is not tried again whose worker died with it once too often.
model::Failure crash_loop(const model::Run& run);
// Whether it is paused for that. Not while a cancel is requested: that ends it without its code being called.
// Unless even that kills its workers.
bool is_crash_loop(const model::Run& run, std::int64_t charges_max);

}  // namespace belay::store
