// outside.hpp — what strangers may ask of an engine: callers over HTTP, the command line, other processes.
//
// A workflow says what it lets in (belay/admission.hpp); every door asks here, so that no door can forget. What the
// program itself submits and forks is not asked about.
#pragma once

#include <string>
#include <string_view>

#include <belay/control.hpp>
#include <belay/engine.hpp>

#include "core/engine/workflows.hpp"
#include "core/model/schedule.hpp"
#include "core/store/store.hpp"

namespace belay::engine {

// Throws Error{NotFound} for a workflow that is not defined here and, in the same words, for one that is not
// exposed; Error{InvalidArgument} with what the workflow's `admit` says against the input (JSON), {BadValue} for one
// that does not fit its type.
void admit_from_outside(const Workflows& workflows, std::string_view workflow,
                        std::string_view organization_id, const std::string& input);

// What admit_from_outside asks of one workflow.
void admit_input(const belay::detail::Workflow& workflow, std::string_view organization_id,
                 const std::string& input);

// How the source channel of a run begins that was accepted by a process without its workflow's code: nobody has
// admitted it. It is asked about where the code is, whenever that is called from its start, and fails with the reason if
// it is not let in.
inline constexpr std::string_view kUnadmitted = "unadmitted/";

// Makes such a submission of one whose workflow is defined by a worker elsewhere; false if no worker that is there says
// so: it would wait for ever. What is defined here is not asked about.
bool leave_to_first_claim(store::Store& store, const Workflows& workflows,
                          belay::detail::Submission& submission);

// Whether a schedule's runs are the program's own: its code said so, and nobody has changed what they do. Those of
// others come from outside.
bool is_declared(const model::StoredSchedule& schedule);

// Under which id the run is kept that a caller of that organization calls `chosen` (model/chosen_id.hpp): the one it
// has if there is one. `own_organization` is the engine's. Throws Error{InvalidArgument} for an id that check_run_id
// refuses, or that is too long.
std::string id_from_outside(store::Store& store, const std::string& own_organization,
                            const std::string& organization_id, const std::string& chosen);

// A fork as fork_of makes it, if its workflow lets strangers ask for that: it is exposed, admits an edited input, and
// names every step with an edited output as `editable`. Throws Error{InvalidArgument} naming the step, and as
// admit_from_outside, id_from_outside and fork_of.
struct OutsideFork {
    const std::string& run_id;
    const ForkOptions& options;
    std::string made_up_id;  // if the options have none
};
store::Submit fork_from_outside(store::Store& store, const Workflows& workflows,
                                const std::string& own_organization, OutsideFork fork,
                                const std::string& code_version);

}  // namespace belay::engine
