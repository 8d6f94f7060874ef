// image_jpeg.cpp — JPEG through libjpeg-turbo.
//
// The library reports an error by not returning, and this file leaves it by longjmp: so every function
// that calls setjmp holds only plain values, and the objects belong to its caller.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <new>

#include <jpeglib.h>

#include <jerror.h>

#include "ingestion/media/native/exif.hpp"
#include "ingestion/media/native/image_codec.hpp"

namespace belay::media {
namespace {

// Cameras write up to a dozen passes. A picture in thousands is a way to keep a decoder busy.
constexpr int kScansMax = 100;

struct Reader {
    jpeg_decompress_struct info;
    jpeg_error_mgr errors;
    jpeg_source_mgr source;
    jpeg_progress_mgr progress;
    std::jmp_buf escape;
    bool ended;      // the file's bytes are used up
    bool truncated;  // and more were needed
    bool out_of_memory;
    char message[JMSG_LENGTH_MAX];
};

Reader& reader_of(j_common_ptr info) { return *static_cast<Reader*>(info->client_data); }

[[noreturn]] void on_error(j_common_ptr info) {
    auto& reader = reader_of(info);
    reader.out_of_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
    reader.truncated = reader.ended && !reader.out_of_memory;
    info->err->format_message(info, reader.message);
    std::longjmp(reader.escape, 1);
}

void on_output(j_common_ptr) {}
void on_source(j_decompress_ptr) {}

// A warning. When the file has ended and the decoder still needs data for a line, the picture is cut; damage
// in the middle of a file is shown as it is, as browsers do.
void on_message(j_common_ptr info, int) {
    auto& reader = reader_of(info);
    if (reader.ended && info->err->msg_code == JWRN_HIT_MARKER) {
        reader.truncated = true;
        std::longjmp(reader.escape, 1);
    }
}

// All bytes were there from the start: now there are none left. Many files lack only their end marker, so
// that is given; whether a line is missing shows when the decoder goes on.
boolean on_more(j_decompress_ptr info) {
    static constexpr JOCTET end_marker[]{0xff, JPEG_EOI};
    reader_of(reinterpret_cast<j_common_ptr>(info)).ended = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

void on_skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    auto& source = *info->src;
    if (static_cast<std::size_t>(count) > source.bytes_in_buffer) {
        on_more(info);
        return;
    }
    source.next_input_byte += count;
    source.bytes_in_buffer -= static_cast<std::size_t>(count);
}

void on_progress(j_common_ptr info) {
    if (!info->is_decompressor) return;
    const auto scans = reinterpret_cast<j_decompress_ptr>(info)->input_scan_number;
    if (scans > kScansMax) {
        auto& reader = reader_of(info);
        std::snprintf(reader.message, sizeof reader.message, "more than %d scans", kScansMax);
        std::longjmp(reader.escape, 1);
    }
}

void open(Reader& reader, std::string_view bytes) {
    auto& info = reader.info;
    info.err = jpeg_std_error(&reader.errors);
    reader.errors.error_exit = on_error;
    reader.errors.emit_message = on_message;
    reader.errors.output_message = on_output;
    info.client_data = &reader;  // kept by the next call, which may already fail
    jpeg_create_decompress(&info);
    reader.source.init_source = on_source;
    reader.source.term_source = on_source;
    reader.source.fill_input_buffer = on_more;
    reader.source.skip_input_data = on_skip;
    reader.source.resync_to_restart = jpeg_resync_to_restart;
    reader.source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    reader.source.bytes_in_buffer = bytes.size();
    info.src = &reader.source;
    reader.progress.progress_monitor = on_progress;
    info.progress = &reader.progress;
}

// False when the library gave up.
bool read_header(Reader& reader, std::string_view bytes, ImageHeader& header) {
    if (setjmp(reader.escape)) return false;
    open(reader, bytes);
    jpeg_save_markers(&reader.info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&reader.info, TRUE);
    header.width = static_cast<int>(reader.info.image_width);
    header.height = static_cast<int>(reader.info.image_height);
    for (auto* marker = reader.info.marker_list; marker; marker = marker->next) {
        const std::string_view block{reinterpret_cast<const char*>(marker->data),
                                     marker->data_length};
        if (block.substr(0, 4) == "Exif") header.orientation = exif_orientation(block);
    }
    return true;
}

// The largest reduction that leaves the longer side at `side_wanted` or more.
unsigned reduction(const jpeg_decompress_struct& info, int side_wanted) {
    if (side_wanted <= 0) return 1;
    const auto longer = info.image_width > info.image_height ? info.image_width : info.image_height;
    for (const unsigned by : {8u, 4u, 2u}) {
        if (longer / by >= static_cast<unsigned>(side_wanted)) return by;
    }
    return 1;
}

bool begin(Reader& reader, int side_wanted) {
    if (setjmp(reader.escape)) return false;
    auto& info = reader.info;
    info.scale_num = 1;
    info.scale_denom = reduction(info, side_wanted);
    // The library turns everything into RGB except four inks.
    const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info);
    return true;
}

// `line` holds one row as the library gives it.
bool read_rows(Reader& reader, Image& image, JSAMPLE* line) {
    if (setjmp(reader.escape)) return false;
    auto& info = reader.info;
    const bool inks = info.out_color_space == JCS_CMYK;
    const bool inverted = info.saw_Adobe_marker;
    while (info.output_scanline < info.output_height) {
        auto* row = image.row(static_cast<int>(info.output_scanline));
        JSAMPROW target = inks ? line : row;
        jpeg_read_scanlines(&info, &target, 1);
        if (!inks) continue;
        for (unsigned x = 0; x < info.output_width; ++x) {
            const auto* ink = line + 4 * std::size_t{x};
            const int black = inverted ? ink[3] : 255 - ink[3];
            for (int c = 0; c < 3; ++c) {
                const int color = inverted ? ink[c] : 255 - ink[c];
                row[3 * std::size_t{x} + static_cast<unsigned>(c)] =
                    static_cast<JSAMPLE>(color * black / 255);
            }
        }
    }
    return true;
}

// The library's memory, given back however its owner leaves.
struct OwnedReader : Reader {
    OwnedReader() : Reader{} {}
    ~OwnedReader() { jpeg_destroy_decompress(&info); }
    OwnedReader(const OwnedReader&) = delete;
    OwnedReader& operator=(const OwnedReader&) = delete;

    [[noreturn]] void give_up() const {
        if (truncated) reject_truncated();
        if (out_of_memory) throw std::bad_alloc{};
        reject_corrupt(message);
    }
};

}  // namespace

ImageHeader jpeg_header(std::string_view bytes) {
    OwnedReader reader;
    ImageHeader header{.format = ImageFormat::Jpeg};
    if (!read_header(reader, bytes, header)) reader.give_up();
    return header;
}

Image jpeg_decode(std::string_view bytes, const ImageHeader&, int side_wanted) {
    OwnedReader reader;
    ImageHeader again;
    if (!read_header(reader, bytes, again) || !begin(reader, side_wanted)) reader.give_up();
    Image image(static_cast<int>(reader.info.output_width),
                static_cast<int>(reader.info.output_height));
    std::vector<JSAMPLE> line(4 * std::size_t{reader.info.output_width});
    if (!read_rows(reader, image, line.data())) reader.give_up();
    return image;
}

}  // namespace belay::media
