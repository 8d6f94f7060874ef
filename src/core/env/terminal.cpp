#include "core/env/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace belay::env {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

int terminal_width(int fd) {
    if (!is_terminal(fd)) return 0;
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace belay::env
