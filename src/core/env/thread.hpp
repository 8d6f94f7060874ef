// thread.hpp — the one place that starts a thread.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace belay::env {

// Runs `body` on a new thread that shows as `name` (at most 15 characters) in ps and debuggers, and that
// takes no signals: those belong to the program that Belay is linked into. Throws std::system_error
// if the system allows no more threads.
std::thread start_thread(const std::string& name, std::function<void()> body);

}  // namespace belay::env
