// pix.hpp — leptonica's images with an owner.
#pragma once

#include <memory>

#include <leptonica/allheaders.h>

namespace belay::media::native {

struct PixDeleter {
    void operator()(Pix* pix) const { pixDestroy(&pix); }
};
using PixPtr = std::unique_ptr<Pix, PixDeleter>;

struct BoxaDeleter {
    void operator()(Boxa* boxes) const { boxaDestroy(&boxes); }
};
using BoxaPtr = std::unique_ptr<Boxa, BoxaDeleter>;

}  // namespace belay::media::native
