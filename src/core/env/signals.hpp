// signals.hpp — SIGINT and SIGTERM as something that a program waits for.
#pragma once

namespace belay::env {

// While it lives, SIGINT and SIGTERM wait to be taken by wait() instead of ending the process. Make it on
// the main thread before any other is started: threads inherit this.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // Waits for one, and lets the next one end the process: who presses Ctrl-C twice does not want to wait.
    void wait();
};

}  // namespace belay::env
