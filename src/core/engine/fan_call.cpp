// fan_call.cpp — when a branch begins, what its end decides, and when the fan is over.
#include <belay/detail/fan_call.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/engine/failure.hpp"

namespace belay::detail {

namespace {

// So many branches are named in the message of a fan that failed.
constexpr std::size_t kFailuresTold = 10;

// The branch as a coroutine of its own: its fan hears of its end when no code of the run is on the stack,
// because the fan may then drop this very coroutine.
Task<void> drive(RunPort& port, std::shared_ptr<Call> branch, Time from) {
    co_await branch->run_branch(from);
    port.branch_ended(std::move(branch));
}

}  // namespace

FanCall::FanCall(Context& context, std::string_view name, std::size_t size)
    : Call(context, CallKind::Fan, name), states_(size, State::NotBegun),
      sink_(ContextAccess::port(context), "", context.now()) {
    if (size > base::kFanBranchesMax) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "fan `{}` has {} branches; one fan has at most {}. Split its items over several "
                "runs (ctx.child).",
                name, size, base::kFanBranchesMax));
    }
    record_.size = size;
}

FanCall::~FanCall() = default;

void FanCall::accept(std::string_view text) {
    FanRecord before = from_json<FanRecord>(text);
    if (before.size != record_.size) {
        throw Error(ErrorCode::BadValue,
                    fmt::format("it was recorded with {} branches, and the code now gives it {}",
                                before.size, record_.size));
    }
    if (before.names != record_.names) {
        throw Error(ErrorCode::BadValue,
                    fmt::format("it was recorded with the branches {}, and the code now gives "
                                "it {}",
                                fmt::join(before.names, ", "), fmt::join(record_.names, ", ")));
    }
    record_ = std::move(before);
}

std::exception_ptr FanCall::failure_as_error() const {
    std::string message =
        fmt::format("{} of the {} branches of `{}` failed", record_.failed, record_.size, name);
    if (policy == FanPolicy::AtLeast)
        message += fmt::format(", and at least {} had to succeed", needed);
    std::size_t told = 0;
    for (const BranchFailure& failure : record_.failures) {
        if (told == kFailuresTold) break;
        message += fmt::format("{} {}: {}", told++ == 0 ? ":" : ";", failure.name, failure.message);
    }
    if (record_.failed > told && told > 0) {
        message += fmt::format("; and {} more, each shown at its own stage", record_.failed - told);
    }
    return std::make_exception_ptr(
        FanFailed(message, name, path, record_.failures, record_.failed));
}

BranchFailure FanCall::failure(std::size_t branch) const {
    const auto found =
        std::find_if(record_.failures.begin(), record_.failures.end(),
                     [&](const BranchFailure& each) { return each.branch == branch; });
    if (found != record_.failures.end()) return *found;
    return {branch, "", std::string(to_string(ErrorCode::StepFailed)),
            "its error is shown at its own stage"};
}

std::shared_ptr<Call> FanCall::prepare(std::size_t branch) {
    if (!visited_.empty()) return visited_[branch];
    std::shared_ptr<Call> call = make_branch(branch);
    call->loop.is_branch = true;
    call->loop.fan = weak_from_this();
    call->loop.branch = static_cast<std::uint32_t>(branch);
    call->context = &sink_;
    call->path = path + "." + std::to_string(branch + 1);
    return call;
}

bool FanCall::start() { return go_on(); }

bool FanCall::begin_branch(std::size_t branch) {
    RunPort& port = ContextAccess::port(*context);
    std::shared_ptr<Call> call = prepare(branch);
    states_[branch] = State::UnderWay;
    ++under_way_;
    if (call->kind == CallKind::Scope) {
        const auto [at, is_new] =
            tasks_.emplace(branch, drive(port, std::move(call), context->now()));
        at->second.resume();
        return true;
    }
    Begin begun = Begin::Recorded;
    try {
        begun = port.begin(*call);
    } catch (...) {
        // Thrown into the code it would leave the other branches without their fan.
        call->loop.error = std::current_exception();
    }
    switch (begun) {
        case Begin::Recorded:
            note_end(branch, *call);
            return true;
        case Begin::Start:
            port.start(std::move(call), {});
            return true;
        case Begin::Stop:
            return false;
    }
    return false;
}

bool FanCall::go_on() {
    while (!decided_ && next_ < size() && (width == 0 || under_way_ < width)) {
        if (!begin_branch(next_++)) return false;
    }
    decide();
    if (!decided_ || ending_) return false;
    RunPort& port = ContextAccess::port(*context);
    if (under_way_ > 0 && !stopped_others_) {
        stopped_others_ = true;
        losers_ = port.stop_inside(*this);
    }
    if (losers_ > 0) return false;
    ending_ = true;
    tasks_.clear();
    const bool derived = !stopped_others_ && next_ == size();
    if (derived) record_.counted.clear();
    if (failed_) loop.error = failure_as_error();
    port.end_fan(shared_from_this(), derived);
    return derived;
}

void FanCall::branch_ended(Call& branch) {
    const std::size_t number = branch.loop.branch;
    tasks_.erase(number);
    if (decided_ || states_[number] != State::UnderWay) return;
    note_end(number, branch);
    if (go_on()) ended();
}

void FanCall::loser_ended() {
    BELAY_ASSERT(losers_ > 0, "fan {} heard of a loser too many", path);
    --losers_;
    if (go_on()) ended();
}

void FanCall::note_end(std::size_t branch, Call& call) {
    --under_way_;
    if (!anyone_ended_) winner_ = branch;
    anyone_ended_ = true;
    if (!call.loop.error) {
        states_[branch] = State::Succeeded;
        ++succeeded_;
        take_value(branch, call);
    } else {
        states_[branch] = State::Failed;
        ++record_.failed;
        if (record_.failures.size() < kFanFailuresKept) {
            const model::Failure why = engine::read_run_failure(call.loop.error);
            record_.failures.push_back({branch, call.name, why.code, why.message});
        }
    }
    decide();
}

void FanCall::decide_as(bool failed) {
    decided_ = true;
    failed_ = failed;
    // By branch, not by who was quicker: the same failures read the same, whatever happened meanwhile.
    std::sort(record_.failures.begin(), record_.failures.end(),
              [](const BranchFailure& a, const BranchFailure& b) { return a.branch < b.branch; });
    for (std::size_t i = 0; i < size(); ++i) {
        if (states_[i] == State::Succeeded || states_[i] == State::Failed)
            record_.counted.push_back(i);
    }
}

void FanCall::decide() {
    if (decided_) return;
    const std::size_t ended = succeeded_ + record_.failed;
    const bool all = ended == size();
    switch (policy) {
        case FanPolicy::FailFast:
            if (record_.failed > 0 || all) decide_as(record_.failed > 0);
            return;
        case FanPolicy::WaitAll:
            if (all) decide_as(record_.failed > 0);
            return;
        case FanPolicy::Collect:
            if (all) decide_as(false);
            return;
        case FanPolicy::AtLeast:
            if (succeeded_ >= needed) return decide_as(false);
            if (record_.failed + needed > size()) decide_as(true);
            return;
        case FanPolicy::Race:
            if (anyone_ended_) decide_as(record_.failed > 0);
            return;
    }
}

void FanCall::visit() {
    RunPort& port = ContextAccess::port(*context);
    std::vector<std::shared_ptr<Call>> branches;
    for (std::size_t i = 0; i < size(); ++i) branches.push_back(prepare(i));
    visited_ = std::move(branches);
    for (std::size_t i = 0; i < size(); ++i) {
        if (visited_[i]->kind == CallKind::Scope) {
            tasks_.emplace(i, drive(port, visited_[i], context->now())).first->second.resume();
        } else {
            port.begin(*visited_[i]);
        }
    }
}

bool FanCall::replay() {
    RunPort& port = ContextAccess::port(*context);
    // The failures are in the record already.
    std::vector<BranchFailure> failures = std::move(record_.failures);
    const std::uint64_t failed = record_.failed;
    const std::vector<std::uint64_t> counted = std::move(record_.counted);
    decided_ = ending_ = true;
    const auto take = [&](std::size_t branch) {
        std::shared_ptr<Call> call = prepare(branch);
        ++under_way_;
        if (port.begin(*call) != Begin::Recorded) {
            port.fan_has_gap(*this, call->name);
            return false;
        }
        note_end(branch, *call);
        return true;
    };
    if (counted.empty()) {
        for (std::size_t i = 0; i < size(); ++i) {
            if (!take(i)) return false;
        }
    }
    for (const std::uint64_t branch : counted) {
        if (branch >= size() || !take(branch)) return false;
    }
    record_.failures = std::move(failures);
    record_.failed = failed;
    record_.counted = counted;
    port.fan_replayed(*this);
    return true;
}

}  // namespace belay::detail
