#include "service/server/framing.hpp"

#include <fmt/format.h>

#include "service/api/errors.hpp"
#include "service/api/headers.hpp"

namespace belay::server {

std::optional<std::string> transfer_problem(const std::vector<std::string_view>& values,
                                            unsigned version) {
    if (values.empty()) return std::nullopt;
    if (version < 11) return "HTTP/1.0 has no Transfer-Encoding";
    if (values.size() > 1) return "there is more than one Transfer-Encoding header";
    if (!api::same_word(values.front(), "chunked"))
        return fmt::format("Transfer-Encoding `{}` is not taken; only `chunked` is",
                           api::shown(values.front()));
    return std::nullopt;
}

}  // namespace belay::server
