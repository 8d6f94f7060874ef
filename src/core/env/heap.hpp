// heap.hpp — how the C library keeps the memory that this process has let go.
#pragma once

#include <cstddef>

namespace belay::env {

// For a process that runs for months: memory that was needed once goes back to the system. glibc by itself raises the
// size from which a block is mapped on its own to the largest it has seen freed, and gives every few threads an arena, so
// that a server keeps what its busiest moment took, in pieces, many times over; the price is a system call for each large
// block. To be called before other threads start. Does nothing with another C library.
void return_memory_early();

// Of the memory that the C library has from the system. What is used is what would grow if something leaked; what is free
// is kept for later, in pieces, and wanders. Zero with another C library.
struct HeapUse {
    std::size_t used = 0;
    std::size_t free = 0;
};
HeapUse heap_use();

}  // namespace belay::env
