// secret.hpp — random bytes that nobody may guess: tokens, keys. From the kernel, never from a seed.
#pragma once

#include <cstddef>
#include <span>

namespace belay::env {

// Fills all of `bytes`. Throws std::system_error if the kernel has none to give.
void fill_with_secret(std::span<std::byte> bytes);

}  // namespace belay::env
