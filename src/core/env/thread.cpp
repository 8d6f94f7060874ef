#include "core/env/thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace belay::env {

namespace {

// A new thread inherits the mask of the one that starts it, so there is no moment at which it could
// take a signal. Faults of its own code stay deliverable.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF})
            sigdelset(&all, fault);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

}  // namespace

std::thread start_thread(const std::string& name, std::function<void()> body) {
    const SignalsBlocked blocked;
    return std::thread([name, body = std::move(body)] {
        pthread_setname_np(pthread_self(), name.c_str());
        body();
    });
}

}  // namespace belay::env
