#include "core/engine/outside.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/engine/fork.hpp"
#include "core/engine/input.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/queue_requests.hpp"
#include "core/model/chosen_id.hpp"
#include "core/model/worker.hpp"

namespace belay::engine {

namespace {

// Of one that is not exposed no more is said than of one that is not there.
const WorkflowOptions& exposed(const Workflows& workflows, std::string_view workflow) {
    const auto found = workflows.find(workflow);
    if (found != workflows.end() && found->second->options.exposed) return found->second->options;
    std::string known;
    for (const auto& [key, defined] : workflows) {
        if (defined->options.exposed) known += (known.empty() ? "" : ", ") + key;
    }
    throw Error(ErrorCode::NotFound,
                fmt::format("there is no workflow `{}` for callers from outside; there are: {}",
                            workflow, known.empty() ? "none" : known));
}

// What a name in ForkOptions::outputs stands for: a path, or the step's own name.
std::string_view step_named(const std::vector<model::Stage>& stages, std::string_view name) {
    const auto at = std::ranges::find(stages, name, &model::Stage::path);
    return at == stages.end() ? name : std::string_view(at->stage_key);
}

void check_edits(const WorkflowOptions& workflow, std::string_view key,
                 const std::vector<model::Stage>& stages, const ForkOptions& options) {
    for (const auto& [name, output] : options.outputs) {
        const std::string_view step = step_named(stages, name);
        if (std::ranges::find(workflow.editable, step) != workflow.editable.end()) continue;
        std::string may;
        for (const std::string& one : workflow.editable) may += (may.empty() ? "" : ", ") + one;
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the output of `{}` cannot be given from outside: workflow {} lets "
                                "callers edit {}. Fork from a step before it, and it runs again.",
                                step, key, may.empty() ? "no step" : may));
    }
}

void ask(const WorkflowOptions& options, std::string_view organization_id,
         const std::string& input) {
    try {
        options.admit(organization_id, input);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& refused) {
        throw Error(ErrorCode::InvalidArgument, refused.what());
    }
}

}  // namespace

void admit_from_outside(const Workflows& workflows, std::string_view workflow,
                        std::string_view organization_id, const std::string& input) {
    const WorkflowOptions& options = exposed(workflows, workflow);
    check_input(workflows, workflow, input);
    ask(options, organization_id, input);
}

void admit_input(const belay::detail::Workflow& workflow, std::string_view organization_id,
                 const std::string& input) {
    if (!workflow.options.exposed) {
        throw Error(
            ErrorCode::NotFound,
            fmt::format("there is no workflow `{}` for callers from outside", workflow.key));
    }
    if (auto problem = input_problem(workflow, input))
        throw Error(ErrorCode::BadValue, *std::move(problem));
    ask(workflow.options, organization_id, input);
}

bool leave_to_first_claim(store::Store& store, const Workflows& workflows,
                          belay::detail::Submission& submission) {
    if (workflows.contains(submission.workflow)) return false;
    if (model::worker_for(store.workers(), submission.workflow) == nullptr) return false;
    submission.options.source_channel =
        std::string(kUnadmitted) + submission.options.source_channel;
    return true;
}

bool is_declared(const model::StoredSchedule& schedule) {
    if (schedule.declared.empty()) return false;
    const auto declared = schedule_request(schedule.declared);
    return declared.workflow == schedule.schedule.workflow_key &&
           declared.input == schedule.schedule.input;
}

std::string id_from_outside(store::Store& store, const std::string& own_organization,
                            const std::string& organization_id, const std::string& chosen) {
    check_run_id(chosen);
    // As it is kept: that is its own place, too.
    if (chosen.starts_with(model::chosen_prefix(organization_id))) return chosen;
    const auto there = store.find_run(chosen);
    if (there && there->organization_id == organization_id) return chosen;
    const bool is_own = organization_id == own_organization;
    if (is_own && !there && !model::looks_derived(chosen)) return chosen;
    std::string kept = model::kept_id(organization_id, chosen);
    if (kept.size() > base::kRunIdCharsMax) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("a run id of your own has at most {} characters; this one has {}",
                        base::kRunIdCharsMax - (kept.size() - chosen.size()), chosen.size()));
    }
    return kept;
}

store::Submit fork_from_outside(store::Store& store, const Workflows& workflows,
                                const std::string& own_organization, OutsideFork fork,
                                const std::string& code_version) {
    const auto run = store.find_run(fork.run_id);
    if (!run)
        throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", fork.run_id));
    const bool elsewhere = !workflows.contains(run->workflow_key) &&
                           model::worker_for(store.workers(), run->workflow_key) != nullptr;
    if (elsewhere) {
        if (!fork.options.outputs.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("which outputs of {} may be edited is known where it is "
                                    "defined, and that is not here: ask a server that defines it",
                                    run->workflow_key));
        }
    } else {
        const WorkflowOptions& workflow = exposed(workflows, run->workflow_key);
        if (!fork.options.outputs.empty())
            check_edits(workflow, run->workflow_key, store.stages(run->no), fork.options);
        if (fork.options.input) {
            admit_from_outside(workflows, run->workflow_key, run->organization_id,
                               *fork.options.input);
        }
    }
    ForkOptions options = fork.options;
    if (!options.id.empty())
        options.id = id_from_outside(store, own_organization, run->organization_id, options.id);
    // A version would be that of code which is not the workflow's.
    store::Submit made = fork_of(store, fork.run_id, options, std::move(fork.made_up_id),
                                 elsewhere ? std::string() : code_version);
    std::string& channel = made.run.source_channel;
    if (elsewhere && !channel.starts_with(kUnadmitted)) channel.insert(0, kUnadmitted);
    return made;
}

}  // namespace belay::engine
