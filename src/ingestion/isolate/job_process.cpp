#include "ingestion/isolate/job_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/sandbox.hpp"

namespace belay::isolate {
namespace {

// Where a job's descriptors lie: 0, 1 and 2 lead nowhere.
constexpr int kChannelFd = 3;
constexpr int kFirstInputFd = 4;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// Everything else that the helper has open is closed: a job sees only what is its own. Rules for Landlock
// come after the inputs and are closed once enforced.
int settle_descriptors(JobProcess& job) {
    // First out of the way of the numbers they will get, then onto them.
    const int count = static_cast<int>(job.inputs.size());
    const int above = 64 + kFirstInputFd + count;
    const auto move_up = [&](int fd) {
        const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, above);
        if (moved < 0) fail("cannot settle a job's descriptors");
        return moved;
    };
    const auto put = [](int from, int to) {
        if (::dup2(from, to) < 0) fail("cannot settle a job's descriptors");
    };
    const int channel = move_up(job.channel.get());
    const int rules = job.landlock ? move_up(job.landlock.get()) : -1;
    const int null = move_up(job.null_fd);
    std::vector<int> inputs;
    for (const auto& input : job.inputs) inputs.push_back(move_up(input.get()));
    // The owners' destructors must not close what now lies under their old numbers.
    job.channel.release();
    for (auto& input : job.inputs) input.release();

    put(null, 0);
    put(null, 1);
    if (!std::getenv("BELAY_JOB_STDERR")) put(null, 2);
    put(channel, kChannelFd);
    for (int i = 0; i < count; ++i) put(inputs[static_cast<std::size_t>(i)], kFirstInputFd + i);
    const int end = kFirstInputFd + count;
    if (rules >= 0) put(rules, end);
    const unsigned first_unused = static_cast<unsigned>(end + (rules >= 0 ? 1 : 0));
    if (::syscall(SYS_close_range, first_unused, ~0u, 0) != 0) fail("cannot close descriptors");
    return rules >= 0 ? end : -1;
}

void default_signals() {
    for (const int signal : {SIGCHLD, SIGXCPU, SIGXFSZ}) ::signal(signal, SIG_DFL);
    // SIGPIPE stays ignored: writing to a parent that is gone must not look like a crash of the job. So do
    // those that ask the server to end.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::write(kChannelFd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

void tell(const Failure& failure) { write_all(encode_frame(FrameType::Failure, encode(failure))); }

std::string read_arguments() {
    FrameReader reader{kArgumentBytesMax};
    std::string piece(64u << 10, '\0');
    while (!reader.complete()) {
        const auto n = ::read(kChannelFd, piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("cannot read the request");
        if (n == 0) ::_exit(0);  // the parent has gone: nobody wants the answer
        reader.feed(std::string_view{piece}.substr(0, static_cast<std::size_t>(n)));
    }
    auto frame = reader.take();
    if (frame.type != FrameType::Request) throw BadFrame("a job expects a request first");
    return std::move(frame.payload);
}

// The mapping is never undone: it ends with the process.
std::string_view map_input(int fd) {
    struct stat about {};
    if (::fstat(fd, &about) != 0) fail("cannot look at an input");
    if (about.st_size == 0) return {};
    const auto size = static_cast<std::size_t>(about.st_size);
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (start == MAP_FAILED) {
        if (errno == ENOMEM) throw std::bad_alloc{};
        fail("cannot map an input");
    }
    return {static_cast<const char*>(start), size};
}

std::uint64_t total_bytes(int inputs) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < inputs; ++i) {
        struct stat about {};
        if (::fstat(kFirstInputFd + i, &about) == 0)
            bytes += static_cast<std::uint64_t>(about.st_size);
    }
    return bytes;
}

void answer(const Answer& answer, const Limits& limits) {
    if (answer_bytes(answer) > limits.output_bytes || answer.blobs.size() > kAnswerBlobsMax) {
        tell({FailureCode::OutputTooLarge, {}, {}});
        return;
    }
    const auto lengths = encode_answer_lengths(answer);
    bool sent = write_all(encode_head(FrameType::Answer, lengths.size() + answer_bytes(answer))) &&
                write_all(lengths) && write_all(answer.json);
    for (const auto& blob : answer.blobs) sent = sent && write_all(blob);
}

void confine_as(const JobProcess& job, int rules_fd) {
    JobRights rights;
    rights.may_open = !job.entry.options.readable.empty();
    rights.landlock = Fd{rules_fd};
    rights.limits = job.start.limits;
    const int inputs = static_cast<int>(job.inputs.size());
    rights.input_bytes = total_bytes(inputs);
    rights.descriptors = kFirstInputFd + inputs + 1;
    confine(rights);
}

void work(const JobProcess& job) {
    const auto arguments = read_arguments();
    Request request{arguments, {}};
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
        request.inputs.push_back(map_input(kFirstInputFd + static_cast<int>(i)));
    }
    answer(job.entry.handler(request), job.start.limits);
}

}  // namespace

void live_as_job(JobProcess job) {
    try {
        default_signals();
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        // Best effort: a helper that is as nice as can be already serves all the same.
        if (::setpriority(PRIO_PROCESS, 0, job.start.nice) != 0) errno = 0;
        if (::getppid() != job.helper_pid) ::_exit(1);  // it died before the line above
        confine_as(job, settle_descriptors(job));
    } catch (const std::exception& error) {
        tell({FailureCode::SandboxUnavailable, {}, error.what()});
        ::_exit(1);
    }
    try {
        work(job);
    } catch (const Reject& reject) {
        tell({FailureCode::Rejected, reject.code(), reject.what()});
    } catch (const std::bad_alloc&) {
        tell({FailureCode::OutOfMemory, {}, {}});
    } catch (const std::exception& error) {
        tell({FailureCode::Rejected, "failed", error.what()});
    }
    // Not exit(): destructors of a process that is about to end are only a way to crash.
    ::_exit(0);
}

}  // namespace belay::isolate
