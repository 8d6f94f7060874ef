#include "support/process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace belay::test {

Process::Process(const std::string& program, std::vector<std::string> arguments,
                 const Environment& environment) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    arguments.insert(arguments.begin(), program);
    arguments.insert(arguments.end(), {"--signal", std::to_string(ends[1])});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
        // Dies with the test: nothing is left behind when a test is interrupted.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close(ends[0]);
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
}

Process::~Process() {
    if (pid_ > 0) {
        kill();
        wait();
    }
    ::close(pipe_);
}

bool Process::wait_for_signals(std::int64_t count) {
    std::array<char, 4096> bytes{};
    while (signals_ < count) {
        const ssize_t got = ::read(pipe_, bytes.data(), bytes.size());
        if (got == 0) return false;
        if (got < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        signals_ += got;
    }
    return true;
}

void Process::kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
}

Process::End Process::wait() {
    // Emptied to its end first, or a program that says much would wait for a reader.
    std::array<char, 4096> bytes{};
    while (::read(pipe_, bytes.data(), bytes.size()) > 0) {
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
    return {false, WEXITSTATUS(status)};
}

}  // namespace belay::test
