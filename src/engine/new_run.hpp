// new_run.hpp — a run that someone asks for, checked and as the store takes it.
//
// The same for every door: Engine::submit, Tx::submit, and what other processes ask for.
#pragma once

#include <string>
#include <string_view>

#include <belay/options.hpp>

#include "engine/workflows.hpp"
#include "model/run.hpp"

namespace belay::engine {

// Throws Error{UnknownWorkflow}, {InvalidArgument} for an id that is too long, {PayloadTooLarge}.
void check_new_run(const Workflows& workflows, std::string_view workflow, const std::string& input,
                   const SubmitOptions& options);

// `id` is taken if the options have none, and so is the organization.
model::NewRun new_run(std::string_view workflow, std::string input, const SubmitOptions& options,
                      std::string id, const std::string& organization_id, const std::string& code_version,
                      Time now);

}  // namespace belay::engine
