#include "core/library/outside.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/input.hpp"

namespace belay::library {

namespace {

void admit(const belay::detail::Workflow& workflow, const belay::detail::Submission& submission) {
    if (const auto problem = engine::input_problem(workflow, submission.input))
        throw Error(ErrorCode::BadValue, *problem);
    try {
        workflow.options.admit(submission.options.organization_id, submission.input);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::BadValue) throw;
        throw Error(ErrorCode::InvalidArgument, error.what());
    } catch (const std::exception& error) {
        throw Error(ErrorCode::InvalidArgument, error.what());
    }
}

}  // namespace

std::string submit_from_outside(engine::Core& core, belay::detail::Submission submission) {
    const auto found = core.workflows().find(submission.workflow);
    if (found == core.workflows().end() || !found->second->options.exposed) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("there is no workflow `{}` that can be started from outside",
                                submission.workflow));
    }
    admit(*found->second, submission);
    std::vector<belay::detail::Submission> one;
    one.push_back(std::move(submission));
    return std::move(core.submit(std::move(one)).front());
}

}  // namespace belay::library
