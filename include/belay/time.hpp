// time.hpp — the one unit of time in Belay: milliseconds of UTC.
//
// Every time that crosses a checkpoint is stored in milliseconds, so a value read back after a crash
// is equal to the value that was written.
#pragma once

#include <chrono>

namespace belay {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

}  // namespace belay
