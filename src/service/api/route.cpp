#include "service/api/route.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/assert.hpp"

namespace belay::api {

namespace {

std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> parts;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const auto slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
    }
    return parts;
}

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

std::string_view parameter_name(std::string_view segment) {
    return segment.substr(1, segment.size() - 2);
}

// The parameters, if the path fits; and how many segments fit to the letter.
struct Fit {
    std::map<std::string, std::string, std::less<>> parameters{};
    int literal = 0;
};

std::optional<Fit> fit(const Route& route, const std::vector<std::string_view>& path) {
    const auto pattern = segments(route.path);
    if (pattern.size() != path.size()) return std::nullopt;
    Fit found;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (is_parameter(pattern[i])) {
            auto value = percent_decoded(path[i], false);
            if (!value || value->empty()) return std::nullopt;
            found.parameters.emplace(parameter_name(pattern[i]), *std::move(value));
        } else if (pattern[i] == path[i]) {
            ++found.literal;
        } else {
            return std::nullopt;
        }
    }
    return found;
}

void check(const Route& route) {
    BELAY_ASSERT(route.path.starts_with('/'), "a route's path begins with a slash: {}", route.path);
    BELAY_ASSERT(!route.summary.empty(), "{} has no summary", route.path);
    const int handlers =
        (route.handler ? 1 : 0) + (route.later ? 1 : 0) + (route.is_once() ? 1 : 0);
    BELAY_ASSERT(route.websocket || handlers == 1, "{} has no handler, or two", route.path);
    BELAY_ASSERT(!route.later || route.takes != Takes::Form, "{} takes a form and waits",
                 route.path);
    for (const std::string_view segment : segments(route.path)) {
        if (!is_parameter(segment)) continue;
        const std::string_view name = parameter_name(segment);
        const bool described = std::any_of(
            route.parameters.begin(), route.parameters.end(), [&](const Parameter& parameter) {
                return parameter.in == Parameter::In::Path && parameter.name == name;
            });
        BELAY_ASSERT(described, "{}: {} is not described", route.path, name);
    }
}

}  // namespace

void Routes::add(Route route) {
    check(route);
    for (const auto& other : routes_) {
        BELAY_ASSERT(other->method() != route.method() || other->path != route.path,
                     "{} {} is there twice", to_string(route.method()), route.path);
    }
    routes_.push_back(std::make_unique<Route>(std::move(route)));
}

RouteMatch Routes::match(Method method, std::string_view path) const {
    const auto parts = segments(path);
    const Method wanted = method == Method::Head ? Method::Get : method;
    int best = -1;
    const Route* found = nullptr;
    Fit found_fit;
    std::vector<std::string_view> allow;
    for (const auto& route : routes_) {
        auto one = fit(*route, parts);
        if (!one || one->literal < best) continue;
        if (one->literal > best) {  // a better fit: what fitted less does not count
            best = one->literal;
            found = nullptr;
            allow.clear();
        }
        if (route->method() == wanted) {
            found = route.get();
            found_fit = *std::move(one);
        }
        allow.push_back(to_string(route->method()));
        if (route->method() == Method::Get) allow.push_back("HEAD");
    }
    if (best < 0) return NoSuchPath{};
    if (found == nullptr) return OtherMethods{fmt::format("{}", fmt::join(allow, ", "))};
    return Found{found, std::move(found_fit.parameters)};
}

Parameter path_parameter(std::string name, std::string meaning) {
    return {Parameter::In::Path, std::move(name), std::move(meaning), string_schema(), true};
}

Parameter query_parameter(std::string name, std::string meaning, JsonSchema schema) {
    return {Parameter::In::Query, std::move(name), std::move(meaning), std::move(schema), false};
}

std::vector<Parameter> list_parameters() {
    return {query_parameter("limit",
                            fmt::format("how many at most; {} if not given", kListLimitDefault),
                            integer_schema(1, kListLimitMax)),
            query_parameter("cursor", "the next_cursor of the page before")};
}

std::vector<Parameter> span_parameters(std::string_view happened) {
    return {query_parameter("since", fmt::format("only what {} then or later: a time, or a day in "
                                                 "UTC",
                                                 happened)),
            query_parameter("until", fmt::format("only what {} before then", happened))};
}

}  // namespace belay::api
