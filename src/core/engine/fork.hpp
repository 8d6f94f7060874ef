// fork.hpp — a fork as the verb that makes it, and the JSON in which another process asks for one.
#pragma once

#include <string>
#include <string_view>

#include <belay/control.hpp>

#include "core/store/store.hpp"

namespace belay::engine {

// Reads the run and what is recorded of it, and cuts (model/fork.hpp). `id` is taken if the options have
// none. Throws what model::fork_of says, Error{NotFound} for the run, {InvalidArgument} for an id that check_run_id
// refuses and {InputMismatch} for one that a run has.
store::Submit fork_of(store::Store& store, const std::string& run_id, const ForkOptions& options,
                      std::string id, const std::string& code_version);

// A request is read again if the process died before it was answered: then the run is there, made since it was asked for.
bool is_fork_made_for(const store::ControlRequest& request, const model::Run& run);

// What a "fork" request carries.
std::string fork_request(const ForkOptions& options);
// Throws Error{BadValue}.
ForkOptions read_fork_request(std::string_view json);

}  // namespace belay::engine
