// image_png.cpp — PNG through libpng. As in image_jpeg.cpp, functions with setjmp hold plain values only.
#include <csetjmp>
#include <cstring>
#include <new>

#include <png.h>

#include "ingestion/media/native/exif.hpp"
#include "ingestion/media/native/image_codec.hpp"

namespace belay::media {
namespace {

struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string_view rest{};
    bool truncated = false;
    char message[200] = "";

    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto& reader = *static_cast<Reader*>(png_get_error_ptr(png));
    std::strncpy(reader.message, message, sizeof reader.message - 1);
    png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep target, std::size_t count) {
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
    if (count > reader.rest.size()) {
        reader.truncated = true;
        png_error(png, "truncated");
    }
    std::memcpy(target, reader.rest.data(), count);
    reader.rest.remove_prefix(count);
}

bool read_header(Reader& reader) {
    if (setjmp(png_jmpbuf(reader.png))) return false;
    png_set_read_fn(reader.png, &reader, on_read);
    // Our own limits apply, with better messages; libpng's would refuse first at a million lines.
    png_set_user_limits(reader.png, 0x7fffffff, 0x7fffffff);
    // Colour profiles and comments are attack surface that no pixel needs.
    png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
    constexpr png_byte skipped[] = "iCCP\0iTXt\0tEXt\0zTXt\0sPLT\0hIST";
    png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, skipped, 6);
    // A wrong checksum in a side note costs the note, not the picture.
    png_set_crc_action(reader.png, PNG_CRC_DEFAULT, PNG_CRC_WARN_DISCARD);
    png_read_info(reader.png, reader.info);
    return true;
}

void open(Reader& reader, std::string_view bytes) {
    reader.rest = bytes;
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
    if (!reader.png) throw std::bad_alloc{};
    reader.info = png_create_info_struct(reader.png);
    if (!reader.info) throw std::bad_alloc{};
}

[[noreturn]] void give_up(const Reader& reader) {
    if (reader.truncated) reject_truncated();
    if (std::strstr(reader.message, "memory")) throw std::bad_alloc{};
    reject_corrupt(reader.message);
}

// Everything becomes 8-bit RGB on white.
bool begin(Reader& reader, int& passes) {
    if (setjmp(png_jmpbuf(reader.png))) return false;
    png_set_expand(reader.png);
    png_set_scale_16(reader.png);
    png_set_gray_to_rgb(reader.png);
    const png_color_16 white{0, 255, 255, 255, 255};
    png_set_background(reader.png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1.0);
    passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    return true;
}

bool read_rows(Reader& reader, Image& image, int passes) {
    if (setjmp(png_jmpbuf(reader.png))) return false;
    for (int pass = 0; pass < passes; ++pass) {
        for (int y = 0; y < image.height; ++y) png_read_row(reader.png, image.row(y), nullptr);
    }
    return true;
}

}  // namespace

ImageHeader png_header(std::string_view bytes) {
    Reader reader;
    open(reader, bytes);
    if (!read_header(reader)) give_up(reader);
    ImageHeader header{.format = ImageFormat::Png};
    header.width = static_cast<int>(png_get_image_width(reader.png, reader.info));
    header.height = static_cast<int>(png_get_image_height(reader.png, reader.info));
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(reader.png, reader.info, &size, &exif)) {
        header.orientation = exif_orientation({reinterpret_cast<const char*>(exif), size});
    }
    return header;
}

Image png_decode(std::string_view bytes, const ImageHeader& header) {
    Reader reader;
    open(reader, bytes);
    int passes = 1;
    if (!read_header(reader) || !begin(reader, passes)) give_up(reader);
    Image image(header.width, header.height);
    if (png_get_rowbytes(reader.png, reader.info) != 3 * static_cast<std::size_t>(image.width)) {
        reject_corrupt("its lines have another length than its header says");
    }
    if (!read_rows(reader, image, passes)) give_up(reader);
    return image;
}

}  // namespace belay::media
