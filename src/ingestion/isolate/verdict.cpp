#include "ingestion/isolate/verdict.hpp"

#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "ingestion/isolate/failure.hpp"

namespace belay::isolate {
namespace {

[[noreturn]] void fail(FailureCode code, const std::string& message, std::string reject_code = {}) {
    throw JobFailed(code, message, std::move(reject_code));
}

std::string mebibytes(std::uint64_t bytes) {
    return fmt::format("{} MiB", (bytes + (1u << 19)) >> 20);
}

[[noreturn]] void fail_out_of_memory(const Job& job) {
    fail(FailureCode::OutOfMemory, fmt::format("{} needs more memory than its limit of {}",
                                               job.name, mebibytes(job.limits.memory_bytes)));
}

[[noreturn]] void fail_output(const Job& job) {
    fail(FailureCode::OutputTooLarge,
         fmt::format(
             "the answer of {} is larger than its limit of {} bytes (or has more than {} parts)",
             job.name, job.limits.output_bytes, kAnswerBlobsMax));
}

[[noreturn]] void fail_as_told(const Job& job, const Failure& failure) {
    switch (failure.code) {
        case FailureCode::OutOfMemory:
            fail_out_of_memory(job);
        case FailureCode::OutputTooLarge:
            fail_output(job);
        case FailureCode::SandboxUnavailable:
            fail(failure.code,
                 fmt::format("{} could not be confined: {}", job.name, failure.message));
        default:
            fail(FailureCode::Rejected, failure.message, failure.reject_code);
    }
}

[[noreturn]] void fail_ended_by_us(const Job& job, const Seen& seen) {
    switch (*seen.ending) {
        case Ending::Stopped:
            fail(FailureCode::Stopped, fmt::format("{} was stopped", job.name));
        case Ending::TimedOut:
            fail(FailureCode::TimedOut, fmt::format("{} took longer than its limit of {} ms",
                                                    job.name, job.limits.wall_time.count()));
        case Ending::OutputTooLarge:
            fail_output(job);
        case Ending::BadAnswer:
            break;
    }
    fail(FailureCode::Crashed,
         fmt::format("{} answered something that is no answer: {}", job.name, seen.bad_answer));
}

// A library that gets no memory often dies of it instead of saying so.
bool died_of_memory(const Job& job, const Ended& ended) {
    const bool by_crash =
        ended.signal == SIGSEGV || ended.signal == SIGABRT || ended.signal == SIGBUS;
    // It is address space that is limited, and never all of it is resident.
    return by_crash && ended.peak_bytes > job.limits.memory_bytes / 3 * 2;
}

[[noreturn]] void fail_died(const Job& job, const Ended& ended) {
    switch (ended.signal) {
        case 0:
            fail(FailureCode::Crashed, fmt::format("{} ended without an answer (exit code {})",
                                                   job.name, ended.exit_code));
        case SIGXCPU:
            fail(FailureCode::TimedOut,
                 fmt::format("{} used more than its limit of {} s of processor time", job.name,
                             job.limits.cpu_time.count()));
        case SIGKILL:
            // Nobody here killed it, and its own limits kill with other signals.
            fail(FailureCode::OutOfMemory, fmt::format("{} was killed by the system, most likely "
                                                       "because the machine has no memory left",
                                                       job.name));
        case SIGSYS:
            fail(FailureCode::Crashed,
                 fmt::format("{} was ended by the sandbox: it made a forbidden system call",
                             job.name));
        default:
            break;
    }
    if (died_of_memory(job, ended)) fail_out_of_memory(job);
    fail(FailureCode::Crashed, fmt::format("{} crashed: signal {} ({})", job.name, ended.signal,
                                           ::strsignal(ended.signal)));
}

}  // namespace

Answer judge(const Job& job, Seen seen) {
    if (seen.ended && !seen.ended->started) {
        fail(FailureCode::Rejected,
             fmt::format("{} is not available: {}", job.name, seen.ended->message), "unavailable");
    }
    // Whole before the end came: it stands, even if the process then took too long to go.
    if (seen.frame) {
        try {
            if (seen.frame->type == FrameType::Failure)
                fail_as_told(job, decode_failure(seen.frame->payload));
            if (seen.frame->type == FrameType::Answer) return decode_answer(seen.frame->payload);
            seen.bad_answer = "a frame of another kind";
        } catch (const BadFrame& error) {
            seen.bad_answer = error.what();
        }
        seen.ending = Ending::BadAnswer;
    }
    if (seen.ending) fail_ended_by_us(job, seen);
    if (!seen.ended) {
        fail(FailureCode::Crashed,
             fmt::format("{} was lost: the helper process that ran it died", job.name));
    }
    fail_died(job, *seen.ended);
}

}  // namespace belay::isolate
