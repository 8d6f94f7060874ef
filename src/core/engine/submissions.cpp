#include "core/engine/submissions.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/time_ordered_id.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/input.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/outside.hpp"
#include "core/store/child_end.hpp"

namespace belay::engine {

namespace {

// A run that is claimed with its submission, as its hook is told of it.
model::Run about_to_start(const model::NewRun& run) {
    model::Run started;
    started.id = run.id;
    started.workflow_key = run.workflow_key;
    started.organization_id = run.organization_id;
    started.file_id = run.file_id;
    started.input = run.input;
    return started;
}

}  // namespace

void Submissions::check(const belay::detail::Submission& submission) const {
    check_new_run(workflows_, submission.workflow, submission.input, submission.options);
    if (submission.types != nullptr) check_types(workflows_, submission);
}

Submissions::Ready Submissions::prepare(belay::detail::Submission submission, bool claim,
                                        Promise promise, const RiderFor& rider) {
    const Time now = services_.now();
    env::Random& random = services_.world.random;
    const SubmitOptions& options = submission.options;
    std::string id =
        options.id.empty() ? base::time_ordered_id(now, random.next(), random.next()) : "";
    store::Submit submit;
    // A version would be that of code which is not the workflow's.
    const bool is_foreign = options.source_channel.starts_with(kUnadmitted);
    submit.run = new_run(submission.workflow, std::move(submission.input), options, std::move(id),
                         services_.options.organization_id,
                         is_foreign ? std::string() : services_.options.code_version, now);
    submit.retry_failed = options.retry;
    // Whether there is a slot of its queue is counted when it is claimed.
    if (rider) submit.rider = rider(submit.run.id);
    const bool may_begin = claim && !rider && workflows_.contains(submission.workflow) &&
                           options.delay <= Duration{0} && options.queue.empty();
    if (may_begin && scheduler_.take_room()) {
        submit.claim_as = services_.worker;
        submit.on_start = services_.bodies.on_start(about_to_start(submit.run));
    }
    std::string run_id = submit.run.id;
    Joined joined = submit.run.dedupe_id.empty() ? nullptr : std::make_shared<std::string>();
    return {std::move(run_id), joined, entry(std::move(submit), std::move(promise), joined)};
}

Writer::Entry Submissions::entry(store::Submit submit, Promise promise, Joined joined) {
    return {std::move(submit), [this, promise = std::move(promise),
                                joined = std::move(joined)](store::Verb& verb) mutable {
                answered(std::get<store::Submit>(verb), std::move(promise), joined);
            }};
}

void Submissions::answered(store::Submit& submit, Promise promise, const Joined& joined) {
    if (submit.rider.failed) return promise.keep(submit.rider.failed);
    if (const auto* lost = std::get_if<store::Lost>(&submit.outcome)) {
        if (!submit.claim_as.empty()) scheduler_.give_back_room();
        return promise.keep(std::make_exception_ptr(error_of(*lost)));
    }
    if (std::holds_alternative<store::BodyFailed>(submit.outcome)) {
        scheduler_.give_back_room();
        // The run is accepted all the same: the claim will run the hook again, and record its failure.
        submit.claim_as.clear();
        submit.on_start = {};
        submit.outcome = {};
        Writer::Entry again = entry(std::move(submit), std::move(promise), joined);
        return services_.writer.push(std::move(again.verb), std::move(again.done));
    }
    const auto& outcome = std::get<store::SubmitOutcome>(submit.outcome);
    if (outcome.kind == store::SubmitKind::Created) ++services_.counters.runs_submitted;
    scheduler_.submitted(submit);
    if (outcome.kind == store::SubmitKind::UnknownQueue) {
        return promise.keep(std::make_exception_ptr(
            Error(ErrorCode::NotFound, store::unknown_queue(submit.run.queue))));
    }
    if (outcome.kind == store::SubmitKind::Mismatch && outcome.run.id != submit.run.id) {
        return promise.keep(std::make_exception_ptr(Error(
            ErrorCode::InputMismatch,
            fmt::format(
                "dedupe id `{}` belongs to run `{}` of workflow {}, which has not finished and has "
                "another input. Choose another dedupe id, or wait for that run.",
                submit.run.dedupe_id, outcome.run.id, outcome.run.workflow_key))));
    }
    if (joined) *joined = outcome.run.id;
    if (outcome.kind == store::SubmitKind::Deleted) {
        return promise.keep(std::make_exception_ptr(deleted_error(outcome.run)));
    }
    if (outcome.kind == store::SubmitKind::Mismatch) {
        return promise.keep(std::make_exception_ptr(Error(
            ErrorCode::InputMismatch,
            fmt::format(
                "run `{}` exists already, for workflow {} with another input; one id is one run. "
                "Choose another id, or submit the same input to join it.",
                submit.run.id, outcome.run.workflow_key))));
    }
    promise.keep();
}

}  // namespace belay::engine
