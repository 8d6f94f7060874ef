// png_write.cpp — PNG through libpng. As in image_png.cpp, functions with setjmp hold plain values only.
#include "ingestion/media/native/png_write.hpp"

#include <csetjmp>
#include <new>
#include <stdexcept>
#include <vector>

#include <png.h>

namespace belay::media {
namespace {

// A third of the time of libpng's own 6, for a tenth more bytes.
constexpr int kEffort = 2;

struct Writer {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string out{};

    ~Writer() { png_destroy_write_struct(&png, &info); }
};

void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    static_cast<Writer*>(png_get_io_ptr(png))
        ->out.append(reinterpret_cast<const char*>(bytes), count);
}
void on_flush(png_structp) {}
[[noreturn]] void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

bool is_grey(const Image& image) {
    for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
        if (image.rgb[i] != image.rgb[i + 1] || image.rgb[i] != image.rgb[i + 2]) return false;
    }
    return true;
}

// `row` has room for a line of grey.
bool write(Writer& writer, const Image& image, bool grey, std::uint8_t* row) {
    if (setjmp(png_jmpbuf(writer.png))) return false;
    png_set_write_fn(writer.png, &writer, on_write, on_flush);
    png_set_compression_level(writer.png, kEffort);
    png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8,
                 grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer.png, writer.info);
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* from = image.row(y);
        if (grey) {
            for (int x = 0; x < image.width; ++x) row[x] = from[3 * x];
            from = row;
        }
        png_write_row(writer.png, from);
    }
    png_write_end(writer.png, nullptr);
    return true;
}

}  // namespace

std::string to_png(const Image& image) {
    const bool grey = is_grey(image);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(image.width));
    Writer writer;
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error, on_warning);
    if (!writer.png) throw std::bad_alloc{};
    writer.info = png_create_info_struct(writer.png);
    if (!writer.info) throw std::bad_alloc{};
    if (!write(writer, image, grey, row.data()))
        throw std::runtime_error("the picture cannot be written as PNG");
    return std::move(writer.out);
}

}  // namespace belay::media
