#include "ingestion/isolate/wire.hpp"

#include <fmt/format.h>

#include "ingestion/isolate/frame.hpp"

namespace belay::isolate {
namespace {

template <class T>
void put(std::string& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

template <class T>
T get(std::string_view bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return value;
}

}  // namespace

void WireWriter::u32(std::uint32_t value) { put(out_, value); }
void WireWriter::u64(std::uint64_t value) { put(out_, value); }
void WireWriter::text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    out_.append(value);
}

std::uint32_t WireReader::u32() { return get<std::uint32_t>(bytes(sizeof(std::uint32_t))); }
std::uint64_t WireReader::u64() { return get<std::uint64_t>(bytes(sizeof(std::uint64_t))); }

std::string WireReader::text(std::size_t bytes_max) {
    const auto size = u32();
    if (size > bytes_max) {
        throw BadFrame(fmt::format("a text of {} bytes is above the limit of {}", size, bytes_max));
    }
    return std::string{bytes(size)};
}

std::string_view WireReader::bytes(std::uint64_t count) {
    if (count > rest_.size()) throw BadFrame("a frame's payload is cut short");
    const auto part = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(part.size());
    return part;
}

void WireReader::expect_end() const {
    if (!rest_.empty()) throw BadFrame("a frame's payload has bytes left over");
}

}  // namespace belay::isolate
