// main.cpp — a helper program whose jobs do what a job must not be able to do.
//
// Its arguments make the helper itself misbehave (--no-hello, --die, --thread, --garbage), or stand for a kernel
// that lacks something (--without seccomp | landlock | namespaces).
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/serve.hpp"

namespace {

using belay::isolate::Answer;
using belay::isolate::Registry;
using belay::isolate::Reject;
using belay::isolate::Request;

constexpr int kChannel = 3;  // where a job talks to its parent

// "ok", or the error that a call was refused with.
Answer outcome(long result) {
    return {result >= 0 ? R"("ok")" : fmt::format("\"{}\"", std::strerror(errno)), {}};
}

std::string text_of(const Request& request) {
    return belay::from_json<std::string>(request.arguments);
}

void write_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::write(kChannel, bytes.data(), bytes.size());
        if (n <= 0) ::_exit(9);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

volatile char* nowhere = nullptr;
int counter = 0;  // would show one job's traces to the next

void add_honest(Registry& jobs) {
    jobs.add("echo", [](const Request& request) {
        Answer answer{std::string{request.arguments}, {}};
        for (const auto input : request.inputs) answer.blobs.emplace_back(input);
        return answer;
    });
    jobs.add("reject", [](const Request&) -> Answer {
        throw Reject("too_many_pixels", "too many pixels: 20000x20000, at most 100 million");
    });
    jobs.add("reject_binary", [](const Request&) -> Answer {
        throw Reject("bad\xff", std::string(100'000, '\xfe'));
    });
    jobs.add("throw", [](const Request&) -> Answer { throw std::runtime_error("no such font"); });
    jobs.add("count", [](const Request&) { return Answer{std::to_string(++counter), {}}; });
    jobs.add("pid", [](const Request&) { return Answer{std::to_string(::getpid()), {}}; });
    jobs.add("environment", [](const Request& request) {
        const char* value = std::getenv(text_of(request).c_str());
        return Answer{belay::to_json(std::string{value ? value : ""}), {}};
    });
    jobs.add("open_fds", [](const Request&) {
        int open = 0;
        for (int fd = 0; fd < 1024; ++fd) open += ::fcntl(fd, F_GETFD) >= 0;
        return Answer{std::to_string(open), {}};
    });
    static std::string warmed;
    jobs.add("warm",
             [](const Request&) {
                 return Answer{belay::to_json(warmed), {}};
             },
             {.warm_up = [] { warmed = "warmed in the helper"; }});
    jobs.add("cold", [](const Request&) { return Answer{}; },
             {.warm_up = [] { throw std::runtime_error("the model is not installed"); }});
}

void add_broken(Registry& jobs) {
    jobs.add("segfault", [](const Request&) {
        *nowhere = 1;
        return Answer{};
    });
    jobs.add("abort", [](const Request&) -> Answer { std::abort(); });
    jobs.add("exit", [](const Request&) -> Answer { ::_exit(7); });
    jobs.add("bad_alloc", [](const Request&) -> Answer { throw std::bad_alloc{}; });
    jobs.add("spin", [](const Request&) {
        for (;;) asm volatile("");
        return Answer{};
    });
    jobs.add("sleep", [](const Request&) {
        const timespec hour{3600, 0};
        ::nanosleep(&hour, nullptr);
        return Answer{};
    });
    jobs.add("ignore_signals_and_sleep", [](const Request&) {
        for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
        const timespec hour{3600, 0};
        ::nanosleep(&hour, nullptr);
        return Answer{};
    });
    jobs.add("memory_bomb", [](const Request&) {
        std::vector<std::string> held;
        for (;;) held.emplace_back(16u << 20, 'x');
        return Answer{};
    });
    jobs.add("memory_bomb_in_c", [](const Request&) {
        for (;;) std::memset(std::malloc(16u << 20), 1, 16u << 20);
        return Answer{};
    });
    jobs.add("output_bomb", [](const Request&) {
        return Answer{"null", {std::string(8u << 20, 'x')}};
    });
    jobs.add("parts_bomb", [](const Request&) {
        return Answer{"null", std::vector<std::string>(100'000)};
    });
    jobs.add("raw_output_bomb", [](const Request&) -> Answer {
        write_raw(belay::isolate::encode_head(belay::isolate::FrameType::Answer, 1ull << 60));
        for (;;) write_raw(std::string(1u << 20, 'x'));
    });
    jobs.add("raw_garbage", [](const Request&) -> Answer {
        write_raw("HTTP/1.1 200 OK\r\n\r\n");
        ::_exit(0);
    });
    jobs.add("raw_half_an_answer", [](const Request&) -> Answer {
        write_raw(belay::isolate::encode_head(belay::isolate::FrameType::Answer, 100) +
                  "ten bytes.");
        ::_exit(0);
    });
    jobs.add("raw_two_answers", [](const Request&) -> Answer {
        const auto one = belay::isolate::encode_frame(belay::isolate::FrameType::Failure, "x");
        write_raw(one + one);
        ::_exit(0);
    });
    jobs.add("raw_claims_stopped", [](const Request&) -> Answer {
        std::string payload(12, '\0');
        payload[0] = 6;  // FailureCode::Stopped
        write_raw(belay::isolate::encode_frame(belay::isolate::FrameType::Failure, payload));
        ::_exit(0);
    });
}

void add_hostile(Registry& jobs) {
    const auto read_file = [](const Request& request) {
        return outcome(::open(text_of(request).c_str(), O_RDONLY));
    };
    jobs.add("read_file", read_file);
    jobs.add("read_allowed", read_file, {.readable = {"/usr/share", "/no/such/folder"}});
    const auto write_file = [](const Request& request) {
        return outcome(::open(text_of(request).c_str(), O_WRONLY | O_CREAT, 0600));
    };
    jobs.add("write_file", write_file);
    jobs.add("write_allowed", write_file, {.readable = {"/tmp"}});
    jobs.add("truncate_file",
             [](const Request& request) {
                 return outcome(::open(text_of(request).c_str(), O_RDONLY | O_TRUNC));
             },
             {.readable = {"/tmp"}});
    jobs.add("unlink_file",
             [](const Request& request) { return outcome(::unlink(text_of(request).c_str())); },
             {.readable = {"/tmp"}});
    jobs.add("write_input", [](const Request&) { return outcome(::pwrite(4, "x", 1, 0)); });
    jobs.add("fork", [](const Request&) { return outcome(::fork()); });
    jobs.add("thread", [](const Request&) {
        try {
            std::thread([] {}).join();
            return Answer{R"("ok")", {}};
        } catch (const std::system_error&) {
            return Answer{R"("refused")", {}};
        }
    });
    jobs.add("socket", [](const Request&) { return outcome(::socket(AF_INET, SOCK_STREAM, 0)); });
    jobs.add("unix_socket",
             [](const Request&) { return outcome(::socket(AF_UNIX, SOCK_STREAM, 0)); });
    jobs.add("execve", [](const Request&) {
        char name[] = "/bin/true";
        char* argv[] = {name, nullptr};
        return outcome(::execve(name, argv, nullptr));
    });
    jobs.add("ptrace", [](const Request&) { return outcome(::ptrace(PTRACE_TRACEME, 0, 0, 0)); });
    jobs.add("kill_helper", [](const Request&) { return outcome(::kill(::getppid(), SIGKILL)); });
    jobs.add("kill_helper_thread", [](const Request&) {
        return outcome(::syscall(SYS_tgkill, ::getppid(), ::getppid(), SIGKILL));
    });
    jobs.add("executable_memory", [](const Request&) {
        return outcome(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                           ? -1
                           : 0);
    });
    jobs.add("raise_limits", [](const Request&) {
        const std::uint64_t unlimited[2]{~0ull, ~0ull};
        return outcome(::syscall(SYS_prlimit64, 0, 9 /* RLIMIT_AS */, unlimited, nullptr));
    });
    jobs.add("become_root", [](const Request&) { return outcome(::setuid(0)); });
    jobs.add("who", [](const Request&) { return Answer{std::to_string(::getuid()), {}}; });
    jobs.add("old_calls", [](const Request&) {  // 32-bit numbers: getpid there is 20, writev here
        long result = 0;
#if defined(__x86_64__)
        asm volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
#endif
        return outcome(result);
    });
}

// From here on the kernel answers this call as if it had never heard of it.
void forget_call(long call) {
    sock_filter code[]{
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(call)},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{4, code};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "--no-hello") {
        for (;;) ::pause();
    }
    if (mode == "--die") return 3;
    if (mode == "--garbage") return ::write(belay::isolate::kControlFd, "hello", 5) == 5 ? 0 : 1;

    if (mode == "--without") {
        const std::string what = argc > 2 ? argv[2] : "";
        forget_call(what == "seccomp"    ? SYS_seccomp
                    : what == "landlock" ? SYS_landlock_create_ruleset
                                         : SYS_unshare);
    }

    Registry jobs;
    add_honest(jobs);
    add_broken(jobs);
    add_hostile(jobs);
    if (mode == "--no-processes") {
        jobs.add("last", [](const Request&) { return Answer{}; }, {.warm_up = [] {
                     const rlimit none{0, 0};
                     ::setrlimit(RLIMIT_NPROC, &none);
                 }});
    }
    if (mode == "--thread") {
        jobs.add("threads", [](const Request&) { return Answer{}; }, {.warm_up = [] {
                     std::thread([] {
                         for (;;) ::pause();
                     }).detach();
                 }});
    }
    return belay::isolate::serve(jobs);
}
