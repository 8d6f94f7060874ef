// charset.hpp — which encoding a page is in, and the page as UTF-8.
//
// In the order of the HTML standard: a byte-order mark, then what the HTTP header said, then what the
// page says of itself in its first bytes; if none of them does, UTF-8 when it is well-formed and
// windows-1252 otherwise.
#pragma once

#include <string>
#include <string_view>

namespace belay::media::html {

struct Decoded {
    std::string utf8{};      // always well-formed, without a byte-order mark or NULs
    std::string encoding{};  // the name it was decoded from, such as "windows-1252"
};

// Decodes a page. `content_type` is the HTTP header's value, or empty. Bytes that are wrong in the
// encoding become U+FFFD; an unknown encoding is treated as not given.
Decoded decode_page(std::string_view bytes, std::string_view content_type = {});

// The charset that the first bytes of a page declare with <meta>, in lower case; empty if none.
std::string declared_charset(std::string_view bytes);

// The encoding that a label means to browsers ("latin1" is windows-1252); empty if it is not known.
std::string encoding_of_label(std::string_view label);

// Opens a converter for every encoding that browsers know and keeps it: a process that is about to lose
// its right to open files (belay-media) calls this first. Call before there are threads; afterwards
// those converters may be used by one thread at a time.
void keep_encodings();

}  // namespace belay::media::html
