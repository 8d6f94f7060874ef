#include "core/env/secret.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <system_error>

namespace belay::env {

void fill_with_secret(std::span<std::byte> bytes) {
    constexpr std::size_t kAtOnce = 256;  // what getentropy gives in one call
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), kAtOnce);
        if (::getentropy(bytes.data(), count) != 0) {
            throw std::system_error(errno, std::generic_category(), "getentropy");
        }
        bytes = bytes.subspan(count);
    }
}

}  // namespace belay::env
