// draw.cpp — draws texts and lines; all measures come from the sheet.
#include "samples/draw.hpp"

#include <stdexcept>

#include <cairo-pdf.h>

namespace belay::samples {
namespace {

struct PenEnd {
    void operator()(cairo_t* pen) const { cairo_destroy(pen); }
};
using Pen = std::unique_ptr<cairo_t, PenEnd>;

void check(cairo_status_t status, const std::string& what) {
    if (status != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error(what + ": " + cairo_status_to_string(status));
}

void draw(cairo_t* pen, const Sheet& sheet) {
    cairo_set_source_rgb(pen, 0, 0, 0);
    for (const auto& text : sheet.texts) {
        cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                               text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        // DejaVu is wide; a tenth smaller it fits where Helvetica was planned.
        cairo_set_font_size(pen, 0.88 * text.size);
        cairo_text_extents_t extents;
        cairo_text_extents(pen, text.text.c_str(), &extents);
        double x = text.x;
        if (text.align == Align::Right) x -= extents.x_advance;
        if (text.align == Align::Center) x -= extents.x_advance / 2;
        cairo_move_to(pen, x, text.y);
        cairo_show_text(pen, text.text.c_str());
    }
    cairo_set_line_width(pen, 0.6);
    for (const auto& stroke : sheet.strokes) {
        cairo_move_to(pen, stroke.x1, stroke.y1);
        cairo_line_to(pen, stroke.x2, stroke.y2);
        cairo_stroke(pen);
    }
}

Surface new_pdf(const std::string& path) {
    Surface surface{cairo_pdf_surface_create(path.c_str(), 595, 842)};
    check(cairo_surface_status(surface.get()), path);
    // Without a fixed date the same sample would have other bytes every second.
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                   "2025-01-01T00:00:00Z");
    return surface;
}

}  // namespace

void write_pdf(const std::vector<Sheet>& sheets, const std::string& path) {
    const auto surface = new_pdf(path);
    for (const auto& sheet : sheets) {
        cairo_pdf_surface_set_size(surface.get(), sheet.width, sheet.height);
        const Pen pen{cairo_create(surface.get())};
        draw(pen.get(), sheet);
        cairo_show_page(pen.get());
    }
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()), path);
}

Surface draw_picture(const Sheet& sheet, double dpi) {
    const double scale = dpi / 72;
    Surface surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                               static_cast<int>(sheet.width * scale),
                                               static_cast<int>(sheet.height * scale))};
    check(cairo_surface_status(surface.get()), "picture");
    const Pen pen{cairo_create(surface.get())};
    cairo_set_source_rgb(pen.get(), 1, 1, 1);
    cairo_paint(pen.get());
    cairo_scale(pen.get(), scale, scale);
    draw(pen.get(), sheet);
    return surface;
}

void write_png(cairo_surface_t* picture, const std::string& path) {
    check(cairo_surface_write_to_png(picture, path.c_str()), path);
}

void write_scan(const std::vector<Surface>& pictures, const std::vector<Sheet>& sheets,
                const std::string& path) {
    const auto surface = new_pdf(path);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        cairo_pdf_surface_set_size(surface.get(), sheets[i].width, sheets[i].height);
        const Pen pen{cairo_create(surface.get())};
        const auto width = cairo_image_surface_get_width(pictures[i].get());
        cairo_scale(pen.get(), sheets[i].width / width, sheets[i].width / width);
        cairo_set_source_surface(pen.get(), pictures[i].get(), 0, 0);
        cairo_paint(pen.get());
        cairo_show_page(pen.get());
    }
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()), path);
}

}  // namespace belay::samples
