// control.hpp — what is asked of a run from outside, as the verb that the store commits.
#pragma once

#include <string>
#include <string_view>

#include "core/engine/services.hpp"
#include "core/store/store.hpp"

namespace belay::engine {

// Reads what a retry has to know of the run: what to run again and what to forget (model/rewind.hpp).
// Without an on_end: whoever knows the workflow's code adds it. Throws Error{NotFound} for a retry of a
// run that does not exist.
store::Control control_of(store::Store& store, const std::string& id, store::ControlKind kind,
                          std::string_view reason);

// Whether that can be asked of a run as it stands; a bulk command leaves the others out.
bool may_be_asked(store::ControlKind kind, const model::Run& run);

// A control whose commit is unknown is asked again. If it had been carried out, the store refuses it then:
// this makes of that answer the one that the first time would have had.
void settle_asked_again(store::Control& control);

// The same with the on_end hook of the run's workflow.
store::Control control_of(Services& services, const std::string& id, store::ControlKind kind,
                          std::string_view reason);

}  // namespace belay::engine
