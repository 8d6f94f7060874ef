#include "service/cli/version.hpp"

#include <fmt/format.h>

namespace belay::cli {

std::string_view version() { return BELAY_VERSION; }

std::string compiler_name() {
#if defined(__clang__)
    return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace belay::cli
