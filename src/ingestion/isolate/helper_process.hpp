// helper_process.hpp — one life of the helper program, seen from the parent.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <span>
#include <stop_token>
#include <string_view>

#include "ingestion/isolate/fd.hpp"
#include "ingestion/isolate/message.hpp"
#include "ingestion/isolate/pool.hpp"

namespace belay::isolate {

class HelperProcess {
public:
    // Starts the program and waits until it is warm. Throws JobFailed{SandboxUnavailable} with what it said,
    // or how it died, or that it took too long; JobFailed{Stopped}.
    HelperProcess(const PoolOptions& options, const std::stop_token& stop);

    // Ends it, its jobs with it, and collects its process.
    ~HelperProcess();
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;

    const Hello& hello() const { return hello_; }
    pid_t pid() const { return pid_; }

    // Hands it a start packet. False if it is dead. Any thread.
    bool send(std::string_view packet, std::span<const int> fds);

    // It does not answer any more, or is dead: nobody should give it work.
    void give_up() { dead_ = true; }
    bool dead() const { return dead_; }

private:
    void spawn(const PoolOptions& options, const std::string& program);
    void await_hello(const PoolOptions& options, const std::string& program,
                     const std::stop_token& stop);
    std::string describe_end();
    void end() noexcept;

    pid_t pid_ = -1;
    Fd control_;
    std::mutex sending_;
    std::atomic<bool> dead_ = false;
    Hello hello_;
};

}  // namespace belay::isolate
