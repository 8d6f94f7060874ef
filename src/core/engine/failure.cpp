#include "core/engine/failure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/shortage.hpp"

namespace belay::engine {
namespace {

std::string cut(std::string message) {
    if (message.size() > base::kMessageCharsMax) {
        message.resize(base::kMessageCharsMax);
        // Not in the middle of a UTF-8 sequence.
        while (!message.empty() && (static_cast<unsigned char>(message.back()) & 0xC0U) == 0x80U) {
            message.pop_back();
        }
        if (!message.empty() && (static_cast<unsigned char>(message.back()) & 0x80U) != 0)
            message.pop_back();
        message += "…";
    }
    return message;
}

// A retry_if that throws has not said that another attempt helps.
bool is_worth_retrying(const RetryPolicy& policy, const std::exception& error) {
    if (policy.retry_if == nullptr) return true;
    try {
        return policy.retry_if(error);
    } catch (...) {
        return false;
    }
}

// How a child ended, for code that wants to tell the ways apart.
ErrorCode code_named(std::string_view name) {
    for (const ErrorCode code : {ErrorCode::RunFailed, ErrorCode::RunCanceled, ErrorCode::NotFound,
                                 ErrorCode::InputMismatch}) {
        if (name == to_string(code)) return code;
    }
    return ErrorCode::StepFailed;
}

}  // namespace

std::exception_ptr seen_with_the_machine(std::exception_ptr error, std::uint64_t before) {
    const bool is_short = base::shortages_of_thread() != before || base::is_shortage(error) ||
                          base::no_descriptor_left();
    if (!is_short) return error;
    std::string message = "an exception that does not derive from std::exception";
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        message = e.what();
    } catch (...) {
    }
    return std::make_exception_ptr(MachineShort(fmt::format(
        "the machine is short of descriptors, processes or memory; this does not count as an "
        "attempt ({})",
        message)));
}

Duration delay_of_shortage(Duration so_far) {
    return std::clamp<Duration>(so_far / 2, std::chrono::seconds{1}, std::chrono::minutes{1});
}

AttemptFailure read_attempt_failure(const std::exception_ptr& error, const RetryPolicy& policy) {
    AttemptFailure failure{std::string(to_string(ErrorCode::StepFailed)), "", true, std::nullopt,
                           false};
    try {
        std::rethrow_exception(error);
    } catch (const MachineShort& e) {
        failure.message = e.what();
        failure.of_machine = true;
    } catch (const NonRetryable& e) {
        failure.message = e.what();
        failure.retryable = false;
    } catch (const RetryAfter& e) {
        failure.message = e.what();
        failure.retry_after = std::min(e.after(), Duration{base::kRetryDelayMax});
    } catch (const Error& e) {
        failure.code = to_string(e.code());
        failure.message = e.what();
        // What can never work does not work better later.
        failure.retryable =
            e.code() != ErrorCode::InvalidArgument && e.code() != ErrorCode::PayloadTooLarge &&
            e.code() != ErrorCode::InputMismatch && e.code() != ErrorCode::UnknownWorkflow &&
            e.code() != ErrorCode::TransactionRefused && is_worth_retrying(policy, e);
    } catch (const std::exception& e) {
        failure.message = e.what();
        failure.retryable = is_worth_retrying(policy, e);
    } catch (...) {
        failure.message = "an exception that does not derive from std::exception";
    }
    failure.message = cut(std::move(failure.message));
    return failure;
}

model::Failure read_run_failure(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const StepFailed& e) {
        return {std::string(to_string(e.code())), cut(e.what()), e.stage(), e.path()};
    } catch (const Error& e) {
        return {std::string(to_string(e.code())), cut(e.what()), "", ""};
    } catch (const std::exception& e) {
        return {std::string(to_string(ErrorCode::RunFailed)), cut(e.what()), "", ""};
    } catch (...) {
        return {std::string(to_string(ErrorCode::RunFailed)),
                "the workflow threw an exception that does not derive from std::exception", "", ""};
    }
}

std::exception_ptr failure_of(const model::Stage& stage) {
    if (stage.kind == model::StageKind::Child) {
        return std::make_exception_ptr(
            StepFailed(code_named(stage.error_code), stage.message, stage.stage_key, stage.path));
    }
    return std::make_exception_ptr(
        StepFailed(stage.error_code == to_string(ErrorCode::StepTimeout) ? ErrorCode::StepTimeout
                                                                         : ErrorCode::StepFailed,
                   fmt::format("step `{}` failed after {} attempt{}: {}", stage.stage_key,
                               stage.attempt, stage.attempt == 1 ? "" : "s", stage.message),
                   stage.stage_key, stage.path));
}

Error error_of(const store::Lost& lost) {
    return {lost.unknown ? ErrorCode::CommitUnknown : ErrorCode::StoreUnavailable, lost.why};
}

Duration delay_after(int attempt, const RetryPolicy& policy, double dice) {
    const double longest =
        static_cast<double>(std::min(policy.longest_delay, Duration{base::kRetryDelayMax}).count());
    const double plain =
        static_cast<double>(policy.first_delay.count()) * std::pow(policy.factor, attempt - 1);
    const double varied = std::min(plain, longest) * (1.0 + policy.jitter * (2.0 * dice - 1.0));
    return Duration{std::max<Duration::rep>(0, std::llround(std::min(varied, longest)))};
}

}  // namespace belay::engine
