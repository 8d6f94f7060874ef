// pix.hpp — leptonica's images with an owner.
#pragma once

#include <memory>

#include <leptonica/allheaders.h>

namespace belay::media::native {

// Of a page that is drawn, or a picture that is read: A3 at 300 dpi has 17 million. Reading one holds eight copies at
// its height (as it is, upright, its light made even, …; the best way so far beside the one that is tried), and all
// that must fit into isolate::kJobMemoryBytes beside the helper's models.
inline constexpr double kPixelsMax = 20e6;

struct PixDeleter {
    void operator()(Pix* pix) const { pixDestroy(&pix); }
};
using PixPtr = std::unique_ptr<Pix, PixDeleter>;

struct BoxaDeleter {
    void operator()(Boxa* boxes) const { boxaDestroy(&boxes); }
};
using BoxaPtr = std::unique_ptr<Boxa, BoxaDeleter>;

}  // namespace belay::media::native
