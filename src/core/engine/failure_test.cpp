#include "core/engine/failure.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

AttemptFailure read(auto error, const RetryPolicy& policy = {}) {
    return read_attempt_failure(std::make_exception_ptr(error), policy);
}

TEST(DelayAfter, grows_by_the_factor_up_to_the_longest) {
    const RetryPolicy policy{.first_delay = 100ms, .factor = 3.0, .longest_delay = 1s, .jitter = 0};

    EXPECT_EQ(delay_after(1, policy, 0.5), 100ms);
    EXPECT_EQ(delay_after(2, policy, 0.5), 300ms);
    EXPECT_EQ(delay_after(3, policy, 0.5), 900ms);
    EXPECT_EQ(delay_after(4, policy, 0.5), 1s);
    EXPECT_EQ(delay_after(1000, policy, 0.5), 1s);
}

TEST(DelayAfter, varies_by_the_jitter_and_never_above_the_longest) {
    const RetryPolicy policy{
        .first_delay = 1000ms, .factor = 2.0, .longest_delay = 2s, .jitter = 0.2};

    EXPECT_EQ(delay_after(1, policy, 0.0), 800ms);
    EXPECT_EQ(delay_after(1, policy, 0.5), 1000ms);
    EXPECT_NEAR(static_cast<double>(delay_after(1, policy, 0.999999).count()), 1200, 1);
    EXPECT_EQ(delay_after(2, policy, 0.999999), 2s);
    EXPECT_EQ(delay_after(2, policy, 0.0), 1600ms);
}

TEST(DelayAfter, is_never_negative_nor_longer_than_a_day) {
    const RetryPolicy wild{
        .first_delay = 1h, .factor = 1e300, .longest_delay = 1000h, .jitter = 5.0};

    EXPECT_EQ(delay_after(1, wild, 0.0), 0ms);
    EXPECT_EQ(delay_after(900, wild, 0.9), Duration{base::kRetryDelayMax});
    EXPECT_EQ(delay_after(1, RetryPolicy{.first_delay = 0ms}, 0.9), 0ms);
}

TEST(ReadAttemptFailure, every_exception_is_worth_another_attempt_unless_it_says_otherwise) {
    EXPECT_TRUE(read(std::runtime_error("x")).retryable);
    EXPECT_TRUE(read(42).retryable);
    EXPECT_FALSE(read(NonRetryable("x")).retryable);
    EXPECT_FALSE(read(Error(ErrorCode::PayloadTooLarge, "x")).retryable);
    EXPECT_FALSE(read(Error(ErrorCode::UnknownWorkflow, "x")).retryable);
    // A model's answer that does not parse may parse the next time.
    EXPECT_TRUE(read(Error(ErrorCode::BadValue, "x")).retryable);
    EXPECT_TRUE(read(Error(ErrorCode::StepTimeout, "x")).retryable);
    EXPECT_EQ(read(RetryAfter("x", 7s)).retry_after, 7s);
    EXPECT_EQ(read(RetryAfter("x", 9999h)).retry_after, Duration{base::kRetryDelayMax});
    EXPECT_EQ(read(Error(ErrorCode::StepTimeout, "x")).code, "StepTimeout");
    EXPECT_EQ(read(std::runtime_error("x")).code, "StepFailed");
}

TEST(ReadAttemptFailure, asks_retry_if_and_takes_its_exception_for_a_no) {
    const RetryPolicy never{.retry_if = [](const std::exception&) { return false; }};
    const RetryPolicy broken{.retry_if = [](const std::exception&) -> bool { throw 1; }};

    EXPECT_FALSE(read(std::runtime_error("x"), never).retryable);
    EXPECT_FALSE(read(std::runtime_error("x"), broken).retryable);
    EXPECT_TRUE(read(42, never).retryable);
}

TEST(ReadAttemptFailure, a_long_message_is_cut_between_characters) {
    const std::string kept(base::kMessageCharsMax - 1, 'a');

    const auto message = read(std::runtime_error(fmt::format("{}é and more", kept))).message;

    EXPECT_EQ(message, fmt::format("{}…", kept));
}

TEST(FailureOf, is_a_step_failed_that_names_the_step_and_its_attempts) {
    model::Stage stage;
    stage.path = "3.1";
    stage.stage_key = "ocr";
    stage.attempt = 2;
    stage.message = "no text";
    stage.error_code = "StepTimeout";
    try {
        std::rethrow_exception(failure_of(stage));
    } catch (const StepFailed& e) {
        EXPECT_EQ(e.code(), ErrorCode::StepTimeout);
        EXPECT_EQ(e.stage(), "ocr");
        EXPECT_EQ(e.path(), "3.1");
        EXPECT_STREQ(e.what(), "step `ocr` failed after 2 attempts: no text");
    }
}

TEST(ReadRunFailure, knows_the_step_at_fault) {
    const StepFailed error(ErrorCode::StepFailed, "why", "ocr", "3.1");

    EXPECT_EQ(read_run_failure(std::make_exception_ptr(error)),
              (model::Failure{"StepFailed", "why", "ocr", "3.1"}));
    EXPECT_EQ(read_run_failure(std::make_exception_ptr(std::runtime_error("x"))),
              (model::Failure{"RunFailed", "x", "", ""}));
    EXPECT_EQ(read_run_failure(std::make_exception_ptr(1)).code, "RunFailed");
}

}  // namespace
}  // namespace belay::engine
