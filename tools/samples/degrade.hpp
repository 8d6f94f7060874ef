// degrade.hpp — what scanners, phones and cheap printers do to a page.
#pragma once

#include "ingestion/samples/chance.hpp"
#include "samples/draw.hpp"

namespace belay::samples {

struct Wear {
    double turn_degrees = 1.2;
    int blur_radius = 1;  // pixels
    int noise = 24;       // grey levels, up or down
    double shade = 0.15;  // how much darker one corner is: 0 to 1
};

// A worn copy of the same size; the same from the same seed.
Surface degraded(cairo_surface_t* picture, const Wear& wear, Chance& chance);

}  // namespace belay::samples
