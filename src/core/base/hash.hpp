// hash.hpp — hashes that are the same on every machine, forever.
//
// std::hash may change with the compiler; these are written into databases (seeds of runs, partition
// of a queue, ids such as `imgcls_<sha256>`), so they may not. Their tests are vectors, and a change
// that breaks a vector is a change of the file format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace belay::base {

// FNV-1a, 64 bits. Fast for short keys; not for untrusted keys in a hash table, and its low bits are
// weak until passed through `mix64`.
constexpr std::uint64_t hash64(std::string_view text,
                               std::uint64_t start = 0xcbf29ce484222325u) noexcept {
    std::uint64_t hash = start;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x00000100000001b3u;
    }
    return hash;
}

// One output of splitmix64 for the state `x`: a bijection in which every bit of the input reaches
// every bit of the output. `mix64(seed ^ hash64(path))` is how a run's random numbers are derived.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

using Sha256Digest = std::array<std::uint8_t, 32>;

// SHA-256 of bytes that come in pieces. Uses the processor's SHA instructions where it has them.
class Sha256 {
public:
    Sha256() noexcept;

    void update(std::span<const std::byte> bytes) noexcept;
    void update(std::string_view bytes) noexcept;

    // The digest of all that was given. Call once; the object is then spent.
    Sha256Digest finish() noexcept;
    std::string finish_hex();

private:
    std::array<std::uint32_t, 8> state_;
    std::array<std::uint8_t, 64> block_;
    std::size_t block_used_ = 0;
    std::uint64_t bytes_total_ = 0;
};

// The 64 lower-case hex digits of SHA-256 of `bytes`.
std::string sha256_hex(std::string_view bytes);
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace belay::base
