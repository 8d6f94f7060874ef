// sha256_block.hpp — the inner function of SHA-256, twice: portable, and with x86 SHA instructions.
//
// Private to hash.cpp; apart so that the test can hold one against the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belay::base::detail {

// Mixes `count` blocks of 64 bytes at `blocks` into `state`.
using Sha256Blocks = void (*)(std::uint32_t* state, const std::uint8_t* blocks, std::size_t count);

void sha256_blocks_portable(std::uint32_t* state, const std::uint8_t* blocks, std::size_t count);

// The fastest one that this processor can run.
Sha256Blocks sha256_blocks_fastest() noexcept;

}  // namespace belay::base::detail
