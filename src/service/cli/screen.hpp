// screen.hpp — where a command writes, and what that place can show.
//
// What comes out of a store was written by others, and may hold anything: no text reaches a terminal
// before plain() has taken out what a terminal would obey.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <belay/status.hpp>

namespace belay::cli {

struct Screen {
    std::ostream& out;
    int width = 0;  // characters in a line; 0: no limit, nobody looks at it
    bool colour = false;
};

enum class Style { Plain, Dim, Bold, Good, Bad, Warn, Busy };

Style style_of(RunStatus status);
Style style_of(StageStatus status);

std::string styled(const Screen& screen, Style style, std::string_view text);

// One line of valid UTF-8: line breaks and tabs become blanks, colours go, other control characters
// become U+FFFD.
std::string plain(std::string_view text);

// The same, keeping line breaks.
std::string plain_lines(std::string_view text);

// Characters that `text`, which is valid UTF-8, takes on a line.
int width_of(std::string_view text);

}  // namespace belay::cli
