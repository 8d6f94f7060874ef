// new_run.hpp — a run that someone asks for, checked and as the store takes it.
//
// The same for every door: Engine::submit, Tx::submit, and what other processes ask for.
#pragma once

#include <string>
#include <string_view>

#include <belay/error.hpp>
#include <belay/options.hpp>

#include "core/engine/workflows.hpp"
#include "core/model/message.hpp"
#include "core/model/run.hpp"

namespace belay::engine {

// Throws Error{InvalidArgument} for an id that is too long, not UTF-8, or has control characters: ids are shown in
// lists and put into addresses. Empty is fine: then one is made.
void check_run_id(std::string_view id);

// Throws Error{UnknownWorkflow}, {InvalidArgument} as check_run_id does, {PayloadTooLarge}.
void check_new_run(const Workflows& workflows, std::string_view workflow, const std::string& input,
                   const SubmitOptions& options);

// `id` is taken if the options have none, and so is the organization.
model::NewRun new_run(std::string_view workflow, std::string input, const SubmitOptions& options,
                      std::string id, const std::string& organization_id,
                      const std::string& code_version, Time now);

// The id of a run that a run starts and gives none: the same however often it is asked for.
std::string derived_id(const std::string& run_id, const std::string& place);

// A message, checked. Throws Error{InvalidArgument} for a topic or id that is empty or too long,
// {PayloadTooLarge}.
model::NewMessage new_message(std::string_view run_id, std::string_view topic, std::string payload,
                              const SendOptions& options, const std::string& organization_id,
                              Time now);

// One id is one run, also when its record is gone (rule 12).
Error deleted_error(const model::Run& run);

}  // namespace belay::engine
