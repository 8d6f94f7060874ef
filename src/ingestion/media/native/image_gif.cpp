// image_gif.cpp — the first frame of a GIF through giflib.
//
// Records are read one by one up to the first picture: giflib's own DGifSlurp would decode every frame of a
// film first.
#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include <gif_lib.h>

#include <fmt/format.h>

#include "ingestion/media/native/image_codec.hpp"

namespace belay::media {
namespace {

struct Source {
    std::string_view rest;
    bool ended = false;
};

int on_read(GifFileType* file, GifByteType* target, int count) {
    auto& source = *static_cast<Source*>(file->UserData);
    const auto n = std::min(source.rest.size(), static_cast<std::size_t>(std::max(count, 0)));
    std::memcpy(target, source.rest.data(), n);
    source.rest.remove_prefix(n);
    if (n < static_cast<std::size_t>(count)) source.ended = true;
    return static_cast<int>(n);
}

class File {
public:
    explicit File(std::string_view bytes) : source_{bytes} {
        int error = 0;
        file_ = DGifOpen(&source_, on_read, &error);
        if (!file_) give_up(error);
    }
    ~File() {
        int ignored = 0;
        if (file_) DGifCloseFile(file_, &ignored);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    GifFileType* operator->() const { return file_; }
    GifFileType* get() const { return file_; }

    void check(int result) const {
        if (result == GIF_ERROR) give_up(file_->Error);
    }
    [[noreturn]] void give_up(int error) const {
        if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc{};
        if (source_.ended || error == D_GIF_ERR_EOF_TOO_SOON) reject_truncated();
        const char* text = GifErrorString(error);
        reject_corrupt(text ? text : "its data is no GIF");
    }

private:
    Source source_;
    GifFileType* file_ = nullptr;
};

// The colour that a picture does not draw, if its control block names one.
std::optional<int> transparent_of(const GifByteType* block) {
    GraphicsControlBlock control;
    if (block[0] < 4 || DGifExtensionToGCB(block[0], block + 1, &control) == GIF_ERROR)
        return std::nullopt;
    if (control.TransparentColor == NO_TRANSPARENT_COLOR) return std::nullopt;
    return control.TransparentColor;
}

// Reads on to the first picture; its transparent colour, if any.
std::optional<int> find_picture(const File& file) {
    std::optional<int> transparent;
    for (;;) {
        GifRecordType type{};
        file.check(DGifGetRecordType(file.get(), &type));
        if (type == IMAGE_DESC_RECORD_TYPE) return transparent;
        if (type == TERMINATE_RECORD_TYPE) reject_corrupt("it has no picture");
        if (type != EXTENSION_RECORD_TYPE) reject_corrupt("it has a record of no known kind");
        int code = 0;
        GifByteType* block = nullptr;
        file.check(DGifGetExtension(file.get(), &code, &block));
        while (block) {
            if (code == GRAPHICS_EXT_FUNC_CODE) transparent = transparent_of(block);
            file.check(DGifGetExtensionNext(file.get(), &block));
        }
    }
}

class Canvas {
public:
    Canvas(Image& image, const GifImageDesc& place, const ColorMapObject& colors,
           std::optional<int> transparent)
        : image_(image), place_(place), colors_(colors), transparent_(transparent) {}

    // Row `y` of the picture; what lies outside of the canvas is left out.
    void draw(int y, const GifPixelType* line) {
        const int target = place_.Top + y;
        if (target < 0 || target >= image_.height) return;
        auto* row = image_.row(target);
        for (int x = 0; x < place_.Width; ++x) {
            const int at = place_.Left + x;
            if (at < 0 || at >= image_.width) continue;
            const int color = line[x];
            if (color == transparent_ || color >= colors_.ColorCount) continue;
            const auto& rgb = colors_.Colors[color];
            auto* pixel = row + 3 * static_cast<std::size_t>(at);
            pixel[0] = rgb.Red;
            pixel[1] = rgb.Green;
            pixel[2] = rgb.Blue;
        }
    }

private:
    Image& image_;
    const GifImageDesc& place_;
    const ColorMapObject& colors_;
    std::optional<int> transparent_;
};

}  // namespace

ImageHeader gif_header(std::string_view bytes) {
    const File file{bytes};
    return {.format = ImageFormat::Gif, .width = file->SWidth, .height = file->SHeight};
}

Image gif_decode(std::string_view bytes, const ImageHeader& header, const ImageLimits& limits) {
    const File file{bytes};
    const auto transparent = find_picture(file);
    file.check(DGifGetImageDesc(file.get()));
    const auto& place = file->Image;
    // The picture's own size need not be that of the canvas which the header states.
    const auto pixels = static_cast<std::uint64_t>(std::max(place.Width, 0)) *
                        static_cast<std::uint64_t>(std::max(place.Height, 0));
    if (pixels == 0)
        reject_corrupt(fmt::format("its picture is {}x{} pixels", place.Width, place.Height));
    if (pixels > limits.pixels) {
        throw isolate::Reject("too_many_pixels",
                              fmt::format("too many pixels: a frame of {}x{}, at most {} million",
                                          place.Width, place.Height, limits.pixels / 1'000'000));
    }
    const auto* colors = place.ColorMap ? place.ColorMap : file->SColorMap;
    if (!colors) reject_corrupt("it has no colours");

    Image image(header.width, header.height);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
    Canvas canvas{image, place, *colors, transparent};
    std::vector<GifPixelType> line(static_cast<std::size_t>(place.Width));
    const auto read_rows = [&](int first, int step) {
        for (int y = first; y < place.Height; y += step) {
            file.check(DGifGetLine(file.get(), line.data(), place.Width));
            canvas.draw(y, line.data());
        }
    };
    if (place.Interlace) {
        read_rows(0, 8);
        read_rows(4, 8);
        read_rows(2, 4);
        read_rows(1, 2);
    } else {
        read_rows(0, 1);
    }
    return image;
}

}  // namespace belay::media
