// job.hpp — what a sandboxed process is asked to do, within which limits, and what it answers.
//
// A job has a name that the helper program knows, arguments as JSON, and inputs: files that the parent
// opened, or bytes. The process that does it can read those, and nothing else that its handler did not
// declare.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/isolate/fd.hpp"
#include "ingestion/isolate/turns.hpp"

namespace belay::isolate {

// Bounds of every job, whatever its own limits say.
inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr std::size_t kArgumentBytesMax = 4u << 20;
inline constexpr std::size_t kInputsMax = 32;
inline constexpr std::size_t kAnswerBlobsMax = 4096;

// What one job's process may have of memory, all told: the warm helper that it was forked from, libraries, what it
// makes; beside it only the files that it reads. It is its address space that is limited, so what is resident can
// only be less. docs/internals/isolation.md, docs/reliability.md and tests/e2e/hostile_test.py say this number.
inline constexpr std::uint64_t kJobMemoryBytes = 512u << 20;

// What one job may use. A job that reaches a limit is ended and fails with a code that names it.
struct Limits {
    std::uint64_t memory_bytes = kJobMemoryBytes;  // at most that
    std::chrono::seconds cpu_time{30};  // processor time; a limit under a second counts as one
    std::chrono::milliseconds wall_time{60'000};  // from the start of its process, not of the call
    std::uint64_t output_bytes = 256u << 20;      // JSON and blobs together
    int open_files = 32;                          // beyond its inputs
};

// Bytes that a job reads: in memory that nobody can change any more, or in a file that the parent opened.
class Blob {
public:
    // A sealed copy. Throws std::system_error if there is no memory for it.
    static Blob of(std::string_view bytes);

    // The file as it is when the job reads it: whoever truncates it meanwhile makes the job crash. Throws
    // std::system_error if it cannot be opened for reading, or is not a regular file.
    static Blob open(const std::string& path);

    // The same for a descriptor that is open for reading.
    static Blob adopt(Fd file);

    int fd() const { return fd_.get(); }
    std::uint64_t size() const { return size_; }

private:
    Blob(Fd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

    Fd fd_;
    std::uint64_t size_ = 0;
};

struct Job {
    std::string name;
    std::string arguments = "null";  // JSON
    std::vector<Blob> inputs{};
    Limits limits{};
    Asker asker{};  // whose turn it takes, if its thread holds none
};

struct Answer {
    std::string json = "null";
    std::vector<std::string> blobs{};
};

}  // namespace belay::isolate
