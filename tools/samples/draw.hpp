// draw.hpp — sheets as PDF and as pictures, with Cairo.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cairo.h>

#include "ingestion/samples/sheet.hpp"

namespace belay::samples {

struct SurfaceEnd {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceEnd>;

// A PDF with a text layer, one page a sheet; the same bytes from the same sheets. Throws
// std::runtime_error naming the file if it cannot be written.
void write_pdf(const std::vector<Sheet>& sheets, const std::string& path);

// The sheet in grey on white.
Surface draw_picture(const Sheet& sheet, double dpi);

void write_png(cairo_surface_t* picture, const std::string& path);

// A PDF that holds pictures only, as a scanner makes it.
void write_scan(const std::vector<Surface>& pictures, const std::vector<Sheet>& sheets,
                const std::string& path);

}  // namespace belay::samples
