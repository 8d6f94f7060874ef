#include "ingestion/isolate/verdict.hpp"

#include <csignal>

#include <gtest/gtest.h>

#include "ingestion/isolate/failure.hpp"

namespace belay::isolate {
namespace {

Job a_job() { return {"ocr", "null", {}, {}}; }

JobFailed judged(Seen seen) {
    try {
        judge(a_job(), std::move(seen));
    } catch (const JobFailed& failure) {
        return failure;
    }
    ADD_FAILURE() << "it did not fail";
    return {FailureCode::Stopped, ""};
}

Seen died_by(int signal, std::uint64_t peak = 0) {
    Seen seen;
    seen.ended = Ended{.signal = signal, .peak_bytes = peak};
    return seen;
}

TEST(Verdict, each_way_to_die_has_its_code) {
    EXPECT_EQ(judged(died_by(SIGSEGV)).code(), FailureCode::Crashed);
    EXPECT_EQ(judged(died_by(SIGSYS)).code(), FailureCode::Crashed);
    EXPECT_EQ(judged(died_by(SIGXCPU)).code(), FailureCode::TimedOut);
    EXPECT_EQ(judged(died_by(SIGKILL)).code(), FailureCode::OutOfMemory) << "nobody here sent it";
    EXPECT_EQ(judged(died_by(SIGSEGV, kJobMemoryBytes - (12u << 20))).code(), FailureCode::OutOfMemory)
        << "at its memory limit";
    EXPECT_EQ(judged(died_by(0)).code(), FailureCode::Crashed);
    EXPECT_EQ(judged({}).code(), FailureCode::Crashed) << "the helper died with it";
}

TEST(Verdict, why_the_parent_ended_a_job_wins_over_how_it_died) {
    auto seen = died_by(SIGKILL);
    seen.ending = Ending::TimedOut;
    EXPECT_EQ(judged(seen).code(), FailureCode::TimedOut);
    seen.ending = Ending::Stopped;
    EXPECT_EQ(judged(seen).code(), FailureCode::Stopped);
    seen.ending = Ending::OutputTooLarge;
    EXPECT_EQ(judged(seen).code(), FailureCode::OutputTooLarge);
}

TEST(Verdict, an_answer_that_was_whole_stands_whatever_came_after) {
    auto seen = died_by(SIGSEGV);
    const Answer given{"42", {}};
    seen.frame = Frame{FrameType::Answer, encode_answer_lengths(given) + given.json};
    EXPECT_EQ(judge(a_job(), seen).json, "42");
}

TEST(Verdict, a_frame_that_a_job_must_not_send_is_a_crash) {
    auto seen = died_by(0);
    seen.frame = Frame{FrameType::Hello, ""};
    EXPECT_EQ(judged(seen).code(), FailureCode::Crashed);
    seen.frame = Frame{FrameType::Answer, "short"};
    EXPECT_EQ(judged(seen).code(), FailureCode::Crashed);
}

}  // namespace
}  // namespace belay::isolate
