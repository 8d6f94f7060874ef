// exit_code.hpp — what the `belay` process says when it ends; scripts branch on it.
#pragma once

#include <string_view>

namespace belay::cli {

enum class ExitCode {
    Ok = 0,
    Failed = 1,   // what was asked about failed, was refused, or is not there
    Usage = 2,    // the command line cannot be understood
    NoStore = 3,  // the store is not there, cannot be opened, is locked, or does not answer
};

inline constexpr std::string_view kExitCodesHelp =
    "Exit codes:\n"
    "  0  it worked\n"
    "  1  what was asked about failed, was refused, or does not exist\n"
    "  2  the command line cannot be understood\n"
    "  3  the store is not there, cannot be opened, is locked, or its executor does not answer\n";

}  // namespace belay::cli
