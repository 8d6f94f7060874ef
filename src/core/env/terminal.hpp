// terminal.hpp — whether a person looks at an output, and how wide their window is.
#pragma once

namespace belay::env {

// `fd` is 1 for standard output, 2 for standard error.
bool is_terminal(int fd);

// In characters; 0 if `fd` is no terminal or does not say.
int terminal_width(int fd);

}  // namespace belay::env
