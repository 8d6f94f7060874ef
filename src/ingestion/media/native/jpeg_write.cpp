#include "ingestion/media/native/jpeg_write.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <jpeglib.h>

namespace belay::media {
namespace {

struct Writer {
    jpeg_compress_struct info;
    jpeg_error_mgr errors;
    std::jmp_buf escape;
    unsigned char* bytes;
    unsigned long size;
};

[[noreturn]] void on_error(j_common_ptr info) {
    std::longjmp(static_cast<Writer*>(info->client_data)->escape, 1);
}
void on_output(j_common_ptr) {}

// Plain values only: the library leaves by longjmp.
bool write(Writer& writer, const Image& image, int quality) {
    if (setjmp(writer.escape)) return false;
    auto& info = writer.info;
    info.err = jpeg_std_error(&writer.errors);
    writer.errors.error_exit = on_error;
    writer.errors.output_message = on_output;
    info.client_data = &writer;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &writer.bytes, &writer.size);
    info.image_width = static_cast<JDIMENSION>(image.width);
    info.image_height = static_cast<JDIMENSION>(image.height);
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        auto* row = const_cast<JSAMPROW>(image.row(static_cast<int>(info.next_scanline)));
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
}

}  // namespace

std::string to_jpeg(const Image& image, int quality) {
    Writer writer{};
    const bool written = write(writer, image, quality);
    std::string out;
    if (written) out.assign(reinterpret_cast<const char*>(writer.bytes), writer.size);
    jpeg_destroy_compress(&writer.info);
    std::free(writer.bytes);
    if (!written) throw std::runtime_error("the picture cannot be written as JPEG");
    return out;
}

}  // namespace belay::media
