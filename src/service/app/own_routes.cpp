#include "service/app/own_routes.hpp"

#include <map>
#include <regex>

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "service/api/query.hpp"

namespace belay::app {

namespace json = boost::json;

namespace {

struct LinkView {
    std::string title;
    std::string url;
};
BOOST_DESCRIBE_STRUCT(LinkView, (), (title, url))

struct ProgramView {
    std::string name;
    std::string summary;
    std::string version;
    std::vector<std::string> views;
    std::optional<std::string> accent;
    std::optional<std::string> start;
    std::vector<LinkView> links;
};
BOOST_DESCRIBE_STRUCT(ProgramView, (), (name, summary, version, views, accent, start, links))

struct WarningView {
    std::string code;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WarningView, (), (code, text))

struct WarningsView {
    std::vector<WarningView> warnings;
};
BOOST_DESCRIBE_STRUCT(WarningsView, (), (warnings))

[[noreturn]] void refuse(const HttpRoute& route, std::string_view why) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("route {} {}: {}", route.method, route.path, why));
}

api::Route checked(const HttpRoute& own, const api::Routes& routes) {
    if (own.summary.empty()) refuse(own, "it has no summary");
    if (!own.handler) refuse(own, "it has no handler");
    static const std::regex kPath{"(/([A-Za-z0-9._~-]+|\\{[a-z_]+\\}))+"};
    if (!std::regex_match(own.path, kPath)) refuse(own, "a path is like /api/sales/{id}");
    const auto method = api::method_named(own.method);
    if (!method || *method == api::Method::Head || *method == api::Method::Options)
        refuse(own, "a method is GET, POST, PUT, DELETE or PATCH");
    for (const auto& there : routes.all()) {
        if (there->method() == *method && there->path == own.path)
            refuse(own, "there is such a route already");
    }
    api::Route route;
    route.path = own.path;
    route.summary = own.summary;
    route.group = "program";
    if (own.without_token) route.access = api::Access::Anyone;
    return route;
}

// The server has read it before: there is no broken escape in it.
std::map<std::string, std::string, std::less<>> query_of(std::string_view target) {
    std::map<std::string, std::string, std::less<>> all;
    const auto begin = target.find('?');
    std::string_view rest = begin == std::string_view::npos ? "" : target.substr(begin + 1);
    while (!rest.empty()) {
        const auto end = rest.find('&');
        const std::string_view one = rest.substr(0, end);
        rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
        const auto equals = one.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? "" : one.substr(equals + 1);
        all.insert_or_assign(api::percent_decoded(one.substr(0, equals), true).value_or(""),
                             api::percent_decoded(value, true).value_or(""));
    }
    return all;
}

HttpAnswer answer_of(const HttpRoute& own, const api::Request& request) {
    HttpRequest asked;
    for (const auto& [name, value] : request.parameters) asked.path.emplace(name, value);
    asked.query = query_of(request.target);
    asked.body = request.body;
    asked.organization_id = request.caller.organization_id;
    return own.handler(asked);
}

}  // namespace

void add_own_route(api::Routes& routes, const HttpRoute& own) {
    api::Route route = checked(own, routes);
    const std::string& path = own.path;
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1)) {
        const auto end = path.find('}', at);
        route.parameters.push_back(
            api::path_parameter(path.substr(at + 1, end - at - 1), "a part of the path"));
    }
    route.problems = {api::Problem::NotFound, api::Problem::Conflict};
    const api::Handler handler = [own](api::Request& request) {
        HttpAnswer answer = answer_of(own, request);
        return api::text_response(answer.status, std::move(answer.content_type),
                                  std::move(answer.body));
    };
    const api::Method method = *api::method_named(own.method);
    if (api::changes_state(method)) {
        route.takes = api::Takes::Json;
        route.body_optional = true;
    }
    switch (method) {
        case api::Method::Post:
            route.on<api::Method::Post>(api::Repeatable{
                "it is the program's: what a second one does is for its handler to say", handler});
            break;
        case api::Method::Put:
            route.on<api::Method::Put>(handler);
            break;
        case api::Method::Patch:
            route.on<api::Method::Patch>(handler);
            break;
        case api::Method::Delete:
            route.on<api::Method::Delete>(handler);
            break;
        default:
            route.handler = handler;
    }
    routes.add(std::move(route));
}

void collect_own(const std::vector<Gauge>& gauges, api::MetricsText& out) {
    for (const Gauge& gauge : gauges) out.gauge(gauge.name, gauge.help, gauge.value());
}

void add_program_route(api::Routes& routes, const Program& program) {
    json::array views;
    for (const auto& bundle : program.bundles)
        for (const std::string& view : bundle->views()) views.emplace_back(view);
    json::array links;
    for (const PageLook::Link& link : program.look.links)
        links.push_back({{"title", link.title}, {"url", link.url}});
    const auto or_null = [](const std::string& text) {
        return text.empty() ? json::value(nullptr) : json::value(text);
    };
    const json::object answer{{"name", program.name},
                              {"summary", program.summary},
                              {"version", program.version},
                              {"views", std::move(views)},
                              {"accent", or_null(program.look.accent)},
                              {"start", or_null(program.look.start)},
                              {"links", std::move(links)}};
    api::Route route;
    route.path = "/api/program";
    route.summary = "What this program is called and shows";
    route.group = "operations";
    route.access = api::Access::Anyone;
    route.response_schema = api::schema_of<ProgramView>();
    route.handler = [answer](api::Request&) { return api::json_response(200, answer); };
    routes.add(std::move(route));
}

void add_warnings_route(api::Routes& routes, Warnings warnings) {
    api::Route route;
    route.path = "/api/warnings";
    route.summary = "What is wrong with the server's data as a whole";
    route.group = "operations";
    route.response_schema = api::schema_of<WarningsView>();
    route.handler = [warnings = std::move(warnings)](api::Request& request) {
        json::array told;
        for (Warning& one : warnings(request.caller))
            told.push_back({{"code", std::move(one.code)}, {"text", std::move(one.text)}});
        return api::json_response(200, {{"warnings", std::move(told)}});
    };
    routes.add(std::move(route));
}

}  // namespace belay::app
