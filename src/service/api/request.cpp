#include "service/api/request.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "service/api/errors.hpp"

namespace belay::api {

namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods{{
    {Method::Get, "GET"},
    {Method::Head, "HEAD"},
    {Method::Post, "POST"},
    {Method::Put, "PUT"},
    {Method::Patch, "PATCH"},
    {Method::Delete, "DELETE"},
    {Method::Options, "OPTIONS"},
}};

}  // namespace

std::string_view to_string(Method method) {
    for (const auto& [value, name] : kMethods) {
        if (value == method) return name;
    }
    return "?";
}

std::optional<Method> method_named(std::string_view name) {
    for (const auto& [value, text] : kMethods) {
        if (text == name) return value;
    }
    return std::nullopt;
}

bool changes_state(Method method) {
    return method != Method::Get && method != Method::Head && method != Method::Options;
}

std::string_view Form::field(std::string_view name) const {
    for (const auto& [key, value] : fields) {
        if (key == name) return value;
    }
    return {};
}

const std::string& Request::parameter(std::string_view name) const {
    const auto found = parameters.find(name);
    BELAY_ASSERT(found != parameters.end(), "the route of {} has no parameter {}", path, name);
    return found->second;
}

void set_target(Request& request, std::string target) {
    request.target = std::move(target);
    const std::string_view text = request.target;
    if (!text.starts_with('/')) {
        throw ApiError(
            Problem::BadRequest,
            fmt::format("a request target begins with a slash; this one is `{}`", shown(text)));
    }
    const auto question = text.find('?');
    request.path = text.substr(0, question);
    request.query = Query(question == std::string_view::npos ? "" : text.substr(question + 1));
}

}  // namespace belay::api
