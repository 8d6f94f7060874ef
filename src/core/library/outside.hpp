// outside.hpp — a run that somebody outside the program asks for: an HTTP client, the command line.
//
// What comes from outside is a stranger's (belay/admission.hpp). Every such door goes through this one function.
#pragma once

#include <string>

#include "core/engine/core.hpp"

namespace belay::library {

// Submits it if its workflow lets it in; gives the run's id. The organization in the options is whose it is, and is
// not empty. Throws as Engine::submit, and Error{NotFound} for a workflow that is not defined here or not exposed
// (which of the two is not told), {BadValue} for an input that does not fit, naming the place, {InvalidArgument}
// with what the workflow's `admit` says.
std::string submit_from_outside(engine::Core& core, belay::detail::Submission submission);

}  // namespace belay::library
