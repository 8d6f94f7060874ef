// fatal_signals.cpp — a crash is noted in the black box before whoever handled it before does.
#include <array>
#include <csignal>
#include <mutex>

#include "core/env/black_box.hpp"

namespace belay::env {

void note_signal(int signal) noexcept;  // black_box.cpp

namespace {

constexpr std::array kFatal{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
constinit std::array<struct sigaction, kFatal.size()> before{};

// What would have happened without us. The default is to die of it: the signal is blocked here, and comes when this
// returns; a fault is then met again at the same instruction, so that a core file shows it.
void pass_on(int signal, siginfo_t* info, void* context) {
    for (std::size_t i = 0; i < kFatal.size(); ++i) {
        if (kFatal[i] != signal) continue;
        const struct sigaction& old = before[i];
        if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(signal, info, context);
        if (old.sa_handler == SIG_IGN) return;
        if (old.sa_handler != SIG_DFL) return old.sa_handler(signal);
    }
    struct sigaction fallback {};
    fallback.sa_handler = SIG_DFL;
    ::sigaction(signal, &fallback, nullptr);
    ::raise(signal);
}

void handle(int signal, siginfo_t* info, void* context) {
    note_signal(signal);
    pass_on(signal, info, context);
}

}  // namespace

void note_fatal_signals() {
    static std::once_flag once;
    std::call_once(once, [] {
        for (std::size_t i = 0; i < kFatal.size(); ++i) {
            struct sigaction ours {};
            ours.sa_sigaction = handle;
            // On the program's own alternate stack, if a thread has one: a stack that overflowed has no room.
            ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
            ::sigaction(kFatal[i], nullptr, &before[i]);
            ::sigaction(kFatal[i], &ours, nullptr);
        }
    });
}

}  // namespace belay::env
