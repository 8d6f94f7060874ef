// history_of.hpp — everything recorded of a run, as one JSON document: what `belay runs export` writes.
#pragma once

#include <string>

#include "core/store/store.hpp"

namespace belay::store {

// Throws Error{NotFound}; {Overloaded} if the run changes faster than it can be read.
std::string history_of(Store& store, const std::string& id);

}  // namespace belay::store
