#include "service/api/body.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

namespace belay::api {

std::string body_fault(std::string_view what) {
    if (!what.starts_with('$')) return std::string(what);
    const std::string_view rest = what.substr(1);
    return rest.starts_with('.') ? fmt::format("the body's {}", rest.substr(1))
                                 : fmt::format("the body{}", rest);
}

void refuse_unknown_fields(std::string_view body, const std::vector<std::string_view>& known) {
    boost::system::error_code error;
    const boost::json::value read = boost::json::parse(body, error);
    if (error || !read.is_object()) return;
    for (const auto& field : read.as_object()) {
        if (std::ranges::find(known, std::string_view(field.key())) != known.end()) continue;
        throw ApiError(Problem::InvalidJson,
                       fmt::format("there is no field `{}`: the body has {}", shown(field.key()),
                                   fmt::join(known, ", ")));
    }
}

}  // namespace belay::api
