#include "core/engine/dry_run.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/detail/fan_call.hpp>
#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/base/utf8.hpp"
#include "core/engine/epilogue.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/input.hpp"
#include "core/engine/refusals.hpp"
#include "core/engine/steps.hpp"
#include "core/model/said.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::Call;
using belay::detail::CallKind;
using belay::detail::ContextAccess;
using belay::detail::FanCall;

namespace {

constexpr std::size_t kResultChars = 200;

model::Failure difference(std::string message, std::string_view stage = {},
                          std::string_view path = {}) {
    return {std::string(to_string(ErrorCode::Nondeterminism)), std::move(message),
            std::string(stage), std::string(path)};
}

// The same value, however it is spaced and ordered.
bool is_same_json(std::string_view a, std::string_view b) {
    if (a == b) return true;
    boost::json::error_code error_a;
    boost::json::error_code error_b;
    const auto value_a = boost::json::parse(a, error_a);
    const auto value_b = boost::json::parse(b, error_b);
    return !error_a && !error_b && value_a == value_b;
}

}  // namespace

DryRun::DryRun(const belay::detail::Workflow& workflow, const model::History& history)
    : workflow_(workflow), history_(history),
      shared_(std::make_shared<belay::detail::RunShared>(
          history.run.id, history.run.organization_id, history.run.workflow_key,
          model::name_of_history(history.run))),
      seed_(base::hash64(model::seed_name(history.run))), replay_(history.stages),
      context_(*this, "", history.run.started_at.value_or(history.run.created_at)) {}

DryRun::~DryRun() = default;

ReplayReport DryRun::run() {
    const model::Run& run = history_.run;
    try {
        invocation_ = workflow_.call(context_, run.continued_input.value_or(run.input));
    } catch (const Error& error) {
        diverge(difference(fmt::format("the input of the run does not fit workflow {} any more: {}",
                                       workflow_.key, error.what())));
        return report();
    }
    invocation_->resume();
    tell_fans();
    if (!diverged_) judge_end();
    return report();
}

std::optional<std::string> DryRun::input_problem() {
    try {
        workflow_.call(context_, history_.run.input);
        return std::nullopt;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::BadValue) return std::nullopt;
        return input_fault(workflow_.key, error.what());
    }
}

void DryRun::diverge(model::Failure why) {
    if (!diverged_) diverged_ = std::move(why);
}

// ---- how it ended

void DryRun::judge_end() {
    if (epilogue_ && (continued_ || invocation_->done()) && !epilogue_->is_over(context_)) return;
    if (diverged_) return;
    if (continued_ || invocation_->done()) {
        if (auto left = replay_.left_over()) return diverge(std::move(*left));
    }
    if (continued_) {
        ended_ = "the code continues as new";
        if (has_succeeded())
            diverge(difference("the run succeeded, but the code now continues as new"));
        return;
    }
    if (!invocation_->done()) return;
    try {
        judge_result(invocation_->take());
    } catch (...) {
        const model::Failure failure = read_run_failure(std::current_exception());
        ended_ = fmt::format("the code fails: {}", failure.message);
        if (has_succeeded()) {
            diverge(difference(
                fmt::format("the run succeeded, but the code now fails: {}", failure.message),
                failure.stage, failure.path));
        }
    }
}

void DryRun::judge_result(const std::string& result) {
    ended_ = "the code returns";
    if (!has_succeeded() || is_same_json(result, history_.run.result.value_or("null"))) return;
    diverge(
        difference(fmt::format("the run returned {}, but the code now returns {}",
                               base::truncate(history_.run.result.value_or("null"), kResultChars),
                               base::truncate(result, kResultChars))));
}

ReplayReport DryRun::report() const {
    const model::Run& run = history_.run;
    ReplayReport report;
    report.records = static_cast<std::int64_t>(history_.stages.size());
    report.replayed = replayed_;
    report.agrees = !diverged_;
    if (diverged_) {
        report.stage = diverged_->stage;
        report.path = diverged_->path;
        report.sentence = fmt::format("The code of {} has diverged from the history of run {}: {}",
                                      run.workflow_key, run.id, diverged_->message);
        return report;
    }
    report.sentence = fmt::format(
        "The code of {} agrees with the history of run {}, which is {}: {} of {} records "
        "were asked for",
        run.workflow_key, run.id, to_string(run.status), replayed_, report.records);
    if (!beyond_.empty()) {
        report.sentence += fmt::format("; where the history ends, {}", beyond_);
    } else if (!has_succeeded() && !ended_.empty()) {
        report.sentence += fmt::format("; {}", ended_);
    }
    report.sentence += ".";
    return report;
}

// ---- what the code asks for

Begin DryRun::begin(Call& call) {
    if (diverged_ || (continued_ && !(epilogue_ && epilogue_->has_begun()))) return Begin::Stop;
    if (!call.loop.is_branch) call.path = ContextAccess::next_path(*call.context);
    call.run_shared = shared_;
    check_start(call);
    Replay::Answer answer = replay_.answer(call);
    if (auto* diverged = std::get_if<Replay::Diverged>(&answer)) {
        diverge(std::move(*diverged));
        return Begin::Stop;
    }
    const bool holds_others = call.kind == CallKind::Scope || call.kind == CallKind::Fan;
    if (const auto* begin = std::get_if<Begin>(&answer)) {
        ++replayed_;
        if (*begin == Begin::Recorded && !call.loop.error && call.kind == CallKind::Transaction) {
            if (const auto* child = call.started_child()) {
                if (!epilogue_) epilogue_ = std::make_unique<Epilogue>();
                epilogue_->add(*child);
            }
        }
        if (*begin == Begin::Start && !holds_others && beyond_.empty()) {
            beyond_ = fmt::format("{} `{}` at position {} is under way",
                                  model::to_string(kind_of(call.kind)), call.name, call.path);
        }
        return *begin;
    }
    if (has_succeeded()) {
        diverge(difference(
            fmt::format(
                "the run has ended, but the code goes on with {} `{}` at position {}, which is "
                "not in its history",
                model::to_string(kind_of(call.kind)), call.name, call.path),
            call.name, call.path));
        return Begin::Stop;
    }
    if (!holds_others && beyond_.empty()) {
        beyond_ = fmt::format("the code goes on with {} `{}` at position {}",
                              model::to_string(kind_of(call.kind)), call.name, call.path);
    }
    return Begin::Start;
}

void DryRun::start(std::shared_ptr<Call> call, std::coroutine_handle<>) {
    open_.push_back(std::move(call));
}

void DryRun::scope_succeeded(Call& call, std::string) {
    if (auto left = replay_.left_over(call.path + ".")) return diverge(std::move(*left));
    if (auto passed = replay_.passed(call)) diverge(std::move(*passed));
}

void DryRun::scope_failed(Call& call, std::exception_ptr error) {
    if (!call.loop.is_branch) return;
    const model::Failure why = read_run_failure(error);
    model::Stage stage = stage_of(call, StageStatus::Failed);
    stage.message = why.message;
    stage.error_code = why.code;
    call.loop.error = failure_of(stage);
}

// Nothing is said, but what the run would refuse is refused.
void DryRun::label(std::string_view name, std::string_view value) {
    model::check_label(name, value);
}
void DryRun::expose(std::string_view name, std::string json) { model::check_exposed(name, json); }

bool DryRun::patch(Context& context, std::string_view name) {
    return replay_.patch(fmt::format("patch:{}", name), ContextAccess::peek_path(context)) !=
           Replay::Patch::OldWay;
}

void DryRun::expects(std::string_view prefix) {
    if (workflow_.key.starts_with(prefix)) return;
    throw Error(ErrorCode::InvalidArgument, guard_refusal(prefix, shared_->id, workflow_.key));
}

void DryRun::continue_as_new(Context& context, std::string input) {
    check_continue(context, input);
    continued_ = true;
}

// ---- fans

void DryRun::branch_ended(std::shared_ptr<Call> branch) {
    ended_branches_.push_back(std::move(branch));
}

void DryRun::tell_fans() {
    while (!ended_branches_.empty() && !diverged_) {
        const std::shared_ptr<Call> branch = std::move(ended_branches_.back());
        ended_branches_.pop_back();
        if (const auto fan = branch->loop.fan.lock()) fan->branch_ended(*branch);
    }
}

std::size_t DryRun::stop_inside(FanCall&) { return 0; }

void DryRun::end_fan(std::shared_ptr<FanCall> fan, bool derived) {
    if (derived) return ContextAccess::saw(*fan->context, fan->sink().now());
    // It is decided by what is recorded, but that it was is not: the run had not come so far.
    if (beyond_.empty())
        beyond_ = fmt::format("fan `{}` at position {} is decided", fan->name, fan->path);
}

void DryRun::fan_replayed(FanCall& fan) { replay_.skip_inside(fan.path); }

void DryRun::fan_has_gap(FanCall& fan, std::string_view branch) {
    diverge(difference(
        fmt::format(
            "fan `{}` at position {} is recorded as ended, but the record of its branch `{}` is "
            "missing or is not the end of it",
            fan.name, fan.path, branch),
        fan.name, fan.path));
}

}  // namespace belay::engine
