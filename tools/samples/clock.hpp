// clock.hpp — a picture of a wall clock, for what looks at pictures: any ImageNet model knows one.
#pragma once

#include "samples/draw.hpp"

namespace belay::samples {

// Square, in colours; `hour` and `minute` are what it shows.
Surface draw_clock(int size, int hour, int minute);

}  // namespace belay::samples
