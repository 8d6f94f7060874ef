// wire.hpp — numbers and texts as bytes, little endian; reading is strict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace belay::isolate {

class WireWriter {
public:
    void u32(std::uint32_t value);
    void u64(std::uint64_t value);
    // Its length as u32, then the bytes.
    void text(std::string_view value);

    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

// Reads what a WireWriter wrote. Every function throws BadFrame when the bytes do not suffice or a bound
// is passed; nothing is allocated for a length that is not there.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : rest_(bytes) {}

    std::uint32_t u32();
    std::uint64_t u64();
    std::string text(std::size_t bytes_max);
    std::string_view bytes(std::uint64_t count);

    // Throws BadFrame unless everything was read.
    void expect_end() const;

private:
    std::string_view rest_;
};

}  // namespace belay::isolate
