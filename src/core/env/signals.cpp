#include "core/env/signals.hpp"

#include <pthread.h>
#include <csignal>

namespace belay::env {

namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

StopSignals::~StopSignals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void StopSignals::wait() {
    const sigset_t set = stop_signals();
    int signal = 0;
    sigwait(&set, &signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace belay::env
