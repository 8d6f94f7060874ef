// image_prep.hpp — a photo or a scan made ready to be read.
//
// Tesseract reads best when letters are about thirty pixels high, level, dark on an even white. Receipts
// are none of that: faded thermal print, letters of ten pixels, print shining through from the back.
// Everything here is measured on the page itself (how high its letters are, how far it leans), so the
// same steps serve a phone's photo and a scanner's page.
#pragma once

#include "ingestion/media/native/pix.hpp"

namespace belay::media::native {

// What was found out about the letters of a page.
struct TextMeasure {
    double letter_height = 0;  // pixels, the median; 0 when there are too few to say
    int letters = 0;           // how many marks look like letters
    double skew_degrees = 0;   // turning the page clockwise by this much makes it level
    bool skew_is_sure = false;
};

// The image as 8-bit grey without colour map, transparency on white. Throws ReadError{Broken} if
// leptonica cannot convert it.
PixPtr to_gray(const Pix& image);

// White behind the letters: shadows and yellowed paper removed. Returns a copy of the image when it is
// too small to tell what is background.
PixPtr flat_background(const Pix& gray);

// Faint print through from the back faded out and ink made dark, on a flat background.
PixPtr strong_print(const Pix& flat);

// Dots grown together, on a flat background: the letters of a matrix printer or of a worn thermal head,
// whose strokes are rows of dots that a reader takes for marks of their own.
PixPtr joined_dots(const Pix& flat);

// Looks at the marks of a grey image with strong print.
TextMeasure measure_text(const Pix& strong);

// How much to enlarge (or shrink) an image whose letters are `letter_height` pixels high, so that they
// are as high as the reader likes; 1 when it is near enough. Never above what `pixels_max` allows.
double reading_scale(double letter_height, int width, int height, double pixels_max);

// The image larger or smaller by `factor`; sharp edges kept.
PixPtr scaled(const Pix& gray, double factor);

// Turned by quarter turns clockwise (0 to 3).
PixPtr turned(const Pix& gray, int quarter_turns);

// Turned clockwise by a small angle around its middle, corners filled with white; same size.
PixPtr levelled(const Pix& gray, double degrees);

}  // namespace belay::media::native
