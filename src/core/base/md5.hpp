// md5.hpp — MD5, only because S3 calls it an ETag.
//
// Object stores name the version of an object by the MD5 of its bytes; ours must give the same name for
// the same bytes. It protects against nothing: what must not be forged is named by SHA-256 (hash.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace belay::base {

using Md5Digest = std::array<std::uint8_t, 16>;

// MD5 of bytes that come in pieces.
class Md5 {
public:
    void update(std::span<const std::byte> bytes) noexcept;
    void update(std::string_view bytes) noexcept;

    // The digest of all that was given. Call once; the object is then spent.
    Md5Digest finish() noexcept;
    std::string finish_hex();

private:
    std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    std::array<std::uint8_t, 64> block_{};
    std::size_t block_used_ = 0;
    std::uint64_t bytes_total_ = 0;
};

// The 32 lower-case hex digits of MD5 of `bytes`.
std::string md5_hex(std::string_view bytes);

}  // namespace belay::base
