// assert.cpp — the last words of a process that found itself wrong.
#include "core/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace belay::base {

void assertion_failed(const char* file, int line, const char* condition,
                      const std::string& message) noexcept {
    std::fprintf(stderr, "%s:%d: assertion failed: %s%s%s\n", file, line, condition,
                 message.empty() ? "" : ": ", message.c_str());
    std::fflush(stderr);
    std::abort();
}

}  // namespace belay::base
