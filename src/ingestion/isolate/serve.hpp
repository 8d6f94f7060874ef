// serve.hpp — the main function of a helper program.
#pragma once

#include "ingestion/isolate/registry.hpp"

namespace belay::isolate {

// The descriptor on which a Pool gives its helper the control socket.
inline constexpr int kControlFd = 3;

// Warms the jobs up, then forks a confined process for each Start until the parent is gone; returns the
// program's exit code. Call it from main with nothing else running: it forks, so it refuses to serve
// when there is a second thread. Also refuses, telling the parent why, when the sandbox does not hold.
int serve(Registry& registry);

}  // namespace belay::isolate
