// message.hpp — what each frame says: payloads to values and back, pure.
//
// Decoding throws BadFrame for anything that encoding could not have made: bytes left over, a length that
// is not there, a value out of its table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/isolate/failure.hpp"
#include "ingestion/isolate/job.hpp"

namespace belay::isolate {

// No frame but an answer is longer than this.
inline constexpr std::size_t kSmallFrameBytesMax = 64u << 10;
inline constexpr std::size_t kMessageBytesMax = 4096;  // of a text that a person reads
inline constexpr std::size_t kRejectCodeBytesMax = 64;

struct UnavailableJob {
    std::string name;
    std::string reason;  // why its warm-up failed
};

// The helper is ready, and how it confines jobs on this machine.
struct Hello {
    std::string sandbox{};  // "seccomp, Landlock 7, no network, user 65534"
    std::vector<std::string> jobs{};
    std::vector<UnavailableJob> unavailable{};  // known jobs that cannot run here
};
std::string encode(const Hello& hello);
Hello decode_hello(std::string_view payload);

// Fork a process for this job. Travels with the job's socket, its status socket and its inputs.
struct Start {
    std::string name{};
    std::uint32_t inputs = 0;
    int nice = 0;  // of its process
    Limits limits{};
};
std::string encode(const Start& start);
Start decode_start(std::string_view payload);

// How a job's process ended.
struct Ended {
    bool started = true;           // false: there was no process; `message` says why,
                                   // and exit_code is what the system said, or 0
    int signal = 0;                // that killed it, or 0
    int exit_code = 0;             // if no signal did
    std::uint64_t peak_bytes = 0;  // resident memory at its highest
    std::uint64_t cpu_ms = 0;
    std::string message{};
};
std::string encode(const Ended& ended);
Ended decode_ended(std::string_view payload);

// Why a job has no answer.
struct Failure {
    FailureCode code = FailureCode::Rejected;
    std::string reject_code{};
    std::string message{};
};
// Texts are made valid UTF-8 and cut to their limits.
std::string encode(const Failure& failure);
Failure decode_failure(std::string_view payload);

// An answer's payload without the bytes that follow it: the lengths of the JSON and of each blob.
std::string encode_answer_lengths(const Answer& answer);
std::uint64_t answer_bytes(const Answer& answer);
Answer decode_answer(std::string_view payload);

}  // namespace belay::isolate
