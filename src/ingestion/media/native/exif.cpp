#include "ingestion/media/native/exif.hpp"

#include <cstdint>

namespace belay::media {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShortType = 3;
constexpr std::uint32_t kEntryBytes = 12;

// Numbers in the byte order that the block states; 0 beyond its end.
class Tiff {
public:
    explicit Tiff(std::string_view bytes) : bytes_(bytes), big_(bytes.substr(0, 2) == "MM") {}

    std::uint32_t u16(std::size_t at) const { return number(at, 2); }
    std::uint32_t u32(std::size_t at) const { return number(at, 4); }
    bool has(std::size_t at, std::size_t count) const {
        return at <= bytes_.size() && count <= bytes_.size() - at;
    }

private:
    std::uint32_t number(std::size_t at, std::size_t count) const {
        if (!has(at, count)) return 0;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto byte = static_cast<unsigned char>(bytes_[at + (big_ ? i : count - 1 - i)]);
            value = value << 8 | byte;
        }
        return value;
    }

    std::string_view bytes_;
    bool big_;
};

}  // namespace

int exif_orientation(std::string_view block) noexcept {
    if (block.substr(0, 4) == "Exif" && block.size() >= 6) block.remove_prefix(6);
    const auto order = block.substr(0, 2);
    if (order != "II" && order != "MM") return 1;
    const Tiff tiff{block};
    if (tiff.u16(2) != 42) return 1;
    const std::size_t folder = tiff.u32(4);
    const auto entries = tiff.u16(folder);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::size_t entry = folder + 2 + std::size_t{i} * kEntryBytes;
        if (!tiff.has(entry, kEntryBytes)) return 1;
        if (tiff.u16(entry) != kOrientationTag) continue;
        const auto value = tiff.u16(entry + 8);
        return tiff.u16(entry + 2) == kShortType && value >= 1 && value <= 8
                   ? static_cast<int>(value)
                   : 1;
    }
    return 1;
}

}  // namespace belay::media
