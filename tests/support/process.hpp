// process.hpp — a program under test, in a process of its own that can be killed.
//
// The program is given the number of a pipe (`--signal FD`) and writes one byte there for everything that
// the test may wait for: so a test waits for what has happened, never for time to pass.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace belay::test {

class Process {
public:
    using Environment = std::vector<std::pair<std::string, std::string>>;

    Process(const std::string& program, std::vector<std::string> arguments,
            const Environment& environment = {});
    ~Process();  // kills it if it still runs
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Waits until the program has written `count` bytes in all; false if it ended before.
    bool wait_for_signals(std::int64_t count);

    // SIGKILL: no destructor, no flush.
    void kill();

    struct End {
        bool killed = false;  // by a signal, its own or ours
        int code = 0;         // exit code, or the signal
    };
    // Waits for the end.
    End wait();

private:
    pid_t pid_ = -1;
    int pipe_ = -1;
    std::int64_t signals_ = 0;
};

}  // namespace belay::test
