#include "support/worker_process.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

namespace belay::test {

WorkerProcess::WorkerProcess(const Live& live) {
    int ends[2];
    if (::pipe(ends) != 0) std::terminate();
    // Blocked in every thread of the child: sigwait takes it.
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) {
        ::close(ends[1]);
        pipe_ = ends[0];
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
    try {
        live([fd = ends[1]] {
            const char byte = '!';
            [[maybe_unused]] const auto written = ::write(fd, &byte, 1);
        });
    } catch (const std::exception& error) {
        std::fprintf(stderr, "worker %d: %s\n", ::getpid(), error.what());
        ::_exit(1);
    }
    ::_exit(0);
}

WorkerProcess::~WorkerProcess() {
    kill();
    ::close(pipe_);
}

bool WorkerProcess::wait_for(int count) {
    while (seen_ < count) {
        char bytes[256];
        const auto read = ::read(pipe_, bytes, sizeof(bytes));
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) return false;
        seen_ += static_cast<int>(read);
    }
    return true;
}

void WorkerProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void WorkerProcess::freeze() { ::kill(pid_, SIGSTOP); }
void WorkerProcess::thaw() { ::kill(pid_, SIGCONT); }

void WorkerProcess::stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void live_until_told() {
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    int signal = 0;
    ::sigwait(&terminate, &signal);
}

}  // namespace belay::test
