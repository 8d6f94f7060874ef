// serve.cpp — the helper: warms up, then forks a process per job and tells the parent how it ended.
//
// It speaks on the control socket, and per job on a status socket: Started, then Ended. The parent ends a job
// by closing its half of the status socket for writing; that also happens when the parent dies, so no
// job outlives its parent. The helper holds no job's bytes: inputs pass through it as descriptors only.
#include "ingestion/isolate/serve.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/job_process.hpp"
#include "ingestion/isolate/landlock.hpp"
#include "ingestion/isolate/sandbox.hpp"
#include "ingestion/isolate/socket.hpp"

namespace belay::isolate {
namespace {

// The start packet brings the job's socket, its status socket and its inputs.
constexpr std::size_t kFixedFds = 2;

struct Running {
    pid_t pid = 0;
    Fd process;  // readable once it has ended
    Fd status;
    bool killed = false;
};

class Helper {
public:
    explicit Helper(Registry& registry) : registry_(registry), control_(kControlFd) {}

    int run() {
        try {
            prepare();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "belay: the media helper refuses to start: %s\n", error.what());
            const auto* system = dynamic_cast<const std::system_error*>(&error);
            const int number = system != nullptr ? system->code().value() : 0;
            send_packet(
                control_.get(),
                encode_frame(
                    FrameType::Refused,
                    encode(Ended{.started = false, .exit_code = number, .message = error.what()})));
            return 1;
        }
        try {
            while (!parent_gone_) turn();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "belay: the media helper ends: %s\n", error.what());
        }
        for (auto& job : jobs_) kill(job);
        for (auto& job : jobs_) ::waitpid(job.pid, nullptr, 0);
        return 0;
    }

private:
    void prepare() {
        ::signal(SIGPIPE, SIG_IGN);
        // Who asks the server to end sends these to the whole group; the server then lets its jobs finish, and
        // the helper ends when its parent is gone.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
        ::syscall(SYS_close_range, kControlFd + 1, ~0u, 0);
        null_ = Fd{::open("/dev/null", O_RDWR | O_CLOEXEC)};
        if (!null_)
            throw std::system_error(errno, std::generic_category(), "cannot open /dev/null");

        SandboxWords words;
        enter_helper(words);
        for (auto& entry : registry_.entries()) warm_up(entry);
        for (const auto& entry : registry_.entries()) {
            const auto& readable = entry.options.readable;
            if (!rules_.contains(readable)) rules_.emplace(readable, landlock_rules(readable));
        }
        drop_privileges(words);
        require_one_thread();
        probe();
        send_hello(words);
    }

    void warm_up(Registry::Entry& entry) {
        try {
            if (entry.options.warm_up) entry.options.warm_up();
        } catch (const std::exception& error) {
            entry.unavailable = error.what();
        }
    }

    // A fork copies one thread; locks that others held would stay locked in every job.
    void require_one_thread() {
        std::size_t threads = 0;
        for ([[maybe_unused]] const auto& task :
             std::filesystem::directory_iterator("/proc/self/task")) {
            ++threads;
        }
        if (threads != 1) {
            throw std::runtime_error(fmt::format("a warm-up left {} threads running", threads - 1));
        }
    }

    // No sandbox, no start: what is promised is tried once on this machine.
    void probe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
        }
        const Fd from{ends[0]};
        Fd to{ends[1]};
        const pid_t pid = ::fork();
        if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
        if (pid == 0) {
            const auto complaint = probe_sandbox();
            const auto text = complaint.empty() ? std::string{"ok"} : complaint;
            ::_exit(::write(to.get(), text.data(), text.size()) < 0 ? 1 : 0);
        }
        to.reset();
        char text[512];
        const auto n = ::read(from.get(), text, sizeof text);
        ::waitpid(pid, nullptr, 0);
        const std::string said{text, n > 0 ? static_cast<std::size_t>(n) : 0};
        if (said != "ok") {
            throw std::runtime_error("this machine cannot confine a job: " +
                                     (said.empty() ? "the try-out died" : said));
        }
    }

    void send_hello(const SandboxWords& words) {
        Hello hello{.sandbox = fmt::format("{}", fmt::join(words, ", "))};
        for (const auto& entry : registry_.entries()) {
            hello.jobs.push_back(entry.name);
            if (!entry.unavailable.empty())
                hello.unavailable.push_back({entry.name, entry.unavailable});
        }
        send_packet(control_.get(), encode_frame(FrameType::Hello, encode(hello)));
    }

    // One wait, and everything that is due after it.
    void turn() {
        std::vector<pollfd> waits{{control_.get(), POLLIN, 0}};
        for (const auto& job : jobs_) {
            waits.push_back({job.process.get(), POLLIN, 0});
            // A killed job's status socket stays readable: waiting for it again would spin.
            waits.push_back({job.killed ? -1 : job.status.get(), POLLIN, 0});
        }
        if (::poll(waits.data(), waits.size(), -1) < 0) {
            if (errno == EINTR) return;
            parent_gone_ = true;
            return;
        }
        std::size_t at = 1;
        for (auto job = jobs_.begin(); job != jobs_.end(); at += 2) {
            if (waits[at + 1].revents != 0) kill(*job);  // all that the parent says there is "stop"
            if (waits[at].revents != 0 && reap(*job)) {
                job = jobs_.erase(job);
            } else {
                ++job;
            }
        }
        if (waits[0].revents != 0) take_start();
    }

    void kill(Running& job) {
        if (!job.killed) ::kill(job.pid, SIGKILL);
        job.killed = true;
    }

    bool reap(Running& job) {
        int status = 0;
        rusage used{};
        const auto pid = ::wait4(job.pid, &status, WNOHANG, &used);
        if (pid == 0 || (pid < 0 && errno == EINTR)) return false;
        Ended ended;
        if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
        if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
        ended.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
        const auto ms = [](const timeval& t) {
            return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
                   static_cast<std::uint64_t>(t.tv_usec) / 1000;
        };
        ended.cpu_ms = ms(used.ru_utime) + ms(used.ru_stime);
        send_packet(job.status.get(), encode_frame(FrameType::Ended, encode(ended)));
        return true;
    }

    void take_start() {
        auto packet = receive_packet(control_.get(), kSmallFrameBytesMax, kFixedFds + kInputsMax);
        if (!packet) {
            parent_gone_ = true;
            return;
        }
        const auto frame = decode_frame(packet->bytes, kSmallFrameBytesMax);
        if (frame.type != FrameType::Start) throw BadFrame("the helper expects only starts");
        const auto start = decode_start(frame.payload);
        if (packet->fds.size() != kFixedFds + start.inputs)
            throw BadFrame("a start lacks descriptors");
        Fd channel = std::move(packet->fds[0]);
        Fd status = std::move(packet->fds[1]);
        packet->fds.erase(packet->fds.begin(), packet->fds.begin() + kFixedFds);
        begin(start, std::move(channel), std::move(status), std::move(packet->fds));
    }

    void begin(const Start& start, Fd channel, Fd status, std::vector<Fd> inputs) {
        const auto* entry = registry_.find(start.name);
        if (!entry) return refuse(status, fmt::format("there is no job called '{}'", start.name));
        if (!entry->unavailable.empty()) return refuse(status, entry->unavailable);
        const pid_t self = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0) return refuse(status, "cannot fork", errno);
        if (pid == 0) {
            status.reset();
            live_as_job({*entry, start, std::move(channel), std::move(inputs),
                         rules_.at(entry->options.readable), null_.get(), self});
        }
        const long process = ::syscall(SYS_pidfd_open, pid, 0);
        if (process < 0) {
            const int number = errno;
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
            return refuse(status, "no pidfd_open (it needs Linux 5.3)", number);
        }
        ::fcntl(static_cast<int>(process), F_SETFD, FD_CLOEXEC);
        send_packet(status.get(), encode_frame(FrameType::Started, {}));
        jobs_.push_back({pid, Fd{static_cast<int>(process)}, std::move(status)});
    }

    void refuse(const Fd& status, std::string why, int number = 0) {
        if (number != 0) why += fmt::format(": {}", std::strerror(number));
        const Ended ended{.started = false, .exit_code = number, .message = std::move(why)};
        send_packet(status.get(), encode_frame(FrameType::Ended, encode(ended)));
    }

    Registry& registry_;
    Fd control_;
    Fd null_;
    std::map<std::vector<std::string>, Fd> rules_;  // Landlock's, by what may be read
    std::list<Running> jobs_;
    bool parent_gone_ = false;
};

bool is_socket(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

}  // namespace

int serve(Registry& registry) {
    if (!is_socket(kControlFd)) {
        std::fprintf(
            stderr,
            "This program is started by belay, which sends it work; it does nothing by itself.\n");
        return 2;
    }
    return Helper{registry}.run();
}

}  // namespace belay::isolate
