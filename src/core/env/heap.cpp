#include "core/env/heap.hpp"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace belay::env {

void return_memory_early() {
#ifdef __GLIBC__
    constexpr int kMappedFrom = 1 << 20;
    constexpr int kKeptAtTop = 4 << 20;
    constexpr int kArenas = 4;
    ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);
    ::mallopt(M_TRIM_THRESHOLD, kKeptAtTop);
    ::mallopt(M_ARENA_MAX, kArenas);
#endif
}

HeapUse heap_use() {
#ifdef __GLIBC__
    const auto info = ::mallinfo2();
    return {info.uordblks + info.hblkhd, info.fordblks};
#else
    return {};
#endif
}

}  // namespace belay::env
