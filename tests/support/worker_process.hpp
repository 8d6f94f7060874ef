// worker_process.hpp — a worker in a process of its own, forked from the test, that can be killed and frozen.
//
// Fork before the test starts threads of its own (engines, stores): only the forking thread lives on in the child.
// The child says what has happened with one byte each, so that a test waits for what has happened and not for time.
#pragma once

#include <sys/types.h>

#include <functional>

namespace belay::test {

class WorkerProcess {
public:
    // `live` runs in the child until it is killed or returns; `happened` writes one byte.
    using Live = std::function<void(const std::function<void()>& happened)>;
    explicit WorkerProcess(const Live& live);
    ~WorkerProcess();  // kills it
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    // Waits until `count` things have happened in all; false if it ended before.
    bool wait_for(int count);
    void kill();    // SIGKILL, and waits for the end
    void freeze();  // SIGSTOP
    void thaw();    // SIGCONT
    pid_t pid() const { return pid_; }
    void stop();  // SIGTERM to a child that lives until then, and waits for the end

private:
    pid_t pid_ = -1;
    int pipe_ = -1;
    int seen_ = 0;
};

// In a child: returns when SIGTERM comes.
void live_until_told();

}  // namespace belay::test
