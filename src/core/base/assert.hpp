// assert.hpp — how Belay stops when it finds a bug of its own.
//
// BELAY_ASSERT is on in every build: a process that knows it is wrong must not commit anything more,
// and the run goes on from its last record after a restart. Failures of the world are exceptions
// (belay/error.hpp), never assertions.
#pragma once

#include <string>

#include <fmt/format.h>

namespace belay::base {

// Prints "file:line: assertion failed: condition: message" to stderr and aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition,
                                   const std::string& message) noexcept;

}  // namespace belay::base

// BELAY_ASSERT(epoch > 0, "run {} has epoch {}", run, epoch);  the message may be left out. It is
// formatted only when the condition is false.
#define BELAY_ASSERT(condition, ...)                                       \
    (static_cast<bool>(condition)                                          \
         ? static_cast<void>(0)                                            \
         : ::belay::base::assertion_failed(__FILE__, __LINE__, #condition, \
                                           ::std::string{__VA_OPT__(::fmt::format(__VA_ARGS__))}))
