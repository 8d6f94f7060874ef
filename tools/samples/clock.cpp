#include "samples/clock.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

namespace belay::samples {
namespace {

struct PenEnd {
    void operator()(cairo_t* pen) const { cairo_destroy(pen); }
};
using Pen = std::unique_ptr<cairo_t, PenEnd>;

constexpr double kTurn = 2 * std::numbers::pi;

// The angle of a part of a whole turn, from twelve o'clock.
double angle(double part) { return part * kTurn - kTurn / 4; }

void disc(cairo_t* pen, double radius, double grey) {
    cairo_arc(pen, 0, 0, radius, 0, kTurn);
    cairo_set_source_rgb(pen, grey, grey, grey);
    cairo_fill(pen);
}

void spoke(cairo_t* pen, double part, double from, double to, double width) {
    cairo_set_line_width(pen, width);
    cairo_move_to(pen, from * std::cos(angle(part)), from * std::sin(angle(part)));
    cairo_line_to(pen, to * std::cos(angle(part)), to * std::sin(angle(part)));
    cairo_stroke(pen);
}

void numbers(cairo_t* pen) {
    cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(pen, 0.15);
    for (int hour = 1; hour <= 12; ++hour) {
        const std::string text = std::to_string(hour);
        cairo_text_extents_t extents;
        cairo_text_extents(pen, text.c_str(), &extents);
        const double at = angle(hour / 12.0);
        cairo_move_to(pen, 0.62 * std::cos(at) - extents.x_bearing - extents.width / 2,
                      0.62 * std::sin(at) - extents.y_bearing - extents.height / 2);
        cairo_show_text(pen, text.c_str());
    }
}

}  // namespace

Surface draw_clock(int size, int hour, int minute) {
    Surface surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24, size, size)};
    const Pen held{cairo_create(surface.get())};
    cairo_t* pen = held.get();
    cairo_set_source_rgb(pen, 0.78, 0.72, 0.62);  // a wall
    cairo_paint(pen);
    cairo_translate(pen, size / 2.0, size / 2.0);
    cairo_scale(pen, size / 2.0, size / 2.0);
    disc(pen, 0.92, 0.15);  // its rim …
    disc(pen, 0.84, 0.97);  // … and face
    cairo_set_source_rgb(pen, 0.08, 0.08, 0.08);
    for (int tick = 0; tick < 60; ++tick)
        spoke(pen, tick / 60.0, tick % 5 == 0 ? 0.74 : 0.79, 0.82, tick % 5 == 0 ? 0.025 : 0.01);
    numbers(pen);
    cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
    spoke(pen, (hour % 12 + minute / 60.0) / 12, -0.08, 0.42, 0.05);
    spoke(pen, minute / 60.0, -0.1, 0.66, 0.03);
    cairo_set_source_rgb(pen, 0.75, 0.1, 0.1);
    spoke(pen, 0.59, -0.15, 0.7, 0.012);
    disc(pen, 0.04, 0.1);
    return surface;
}

}  // namespace belay::samples
