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
    bool observes;  // others execute what it shows
};
BOOST_DESCRIBE_STRUCT(ProgramView, (),
                      (name, summary, version, views, accent, start, links, observes))

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
    const int handlers = (own.handler ? 1 : 0) + (own.once ? 1 : 0) + (own.later ? 1 : 0);
    if (handlers != 1)
        refuse(own, handlers == 0 ? "it has no handler" : "it has more than one handler");
    if (own.once && own.method != "POST") refuse(own, "only a POST is done once");
    if (own.takes_files && (own.method != "POST" || own.later))
        refuse(own, "files are taken by a POST that does not answer later");
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

HttpRequest asked_of(api::Request& request) {
    HttpRequest asked;
    for (const auto& [name, value] : request.parameters) asked.path.emplace(name, value);
    asked.query = query_of(request.target);
    asked.body = std::move(request.body);
    asked.organization_id = request.caller.organization_id;
    for (auto& [name, value] : request.form.fields) asked.fields.insert_or_assign(name, value);
    asked.files = std::move(request.form.files);
    return asked;
}

api::Response response_of(HttpAnswer answer) {
    return api::text_response(answer.status, std::move(answer.content_type),
                              std::move(answer.body));
}

}  // namespace

// What a program holds of an answer that comes later.
class LaterReply {
public:
    explicit LaterReply(api::Reply reply) : reply_(std::move(reply)) {}
    const api::Reply& reply() const { return reply_; }

private:
    api::Reply reply_;
};

namespace {

constexpr const char* kItsOwn =
    "it is the program's: what a second one does is for its handler to say";

// The method's handler: one that answers, or one that answers later.
template <class How>
void put(api::Route& route, api::Method method, How how) {
    switch (method) {
        case api::Method::Post:
            if constexpr (std::is_same_v<How, api::LaterHandler>) {
                route.on<api::Method::Post>(api::RepeatableLater{kItsOwn, std::move(how)});
            } else {
                route.on<api::Method::Post>(api::Repeatable{kItsOwn, std::move(how)});
            }
            break;
        case api::Method::Put:
            route.on<api::Method::Put>(std::move(how));
            break;
        case api::Method::Patch:
            route.on<api::Method::Patch>(std::move(how));
            break;
        case api::Method::Delete:
            route.on<api::Method::Delete>(std::move(how));
            break;
        default:
            route.on<api::Method::Get>(std::move(how));
    }
}

}  // namespace

void add_own_route(api::Routes& routes, const HttpRoute& own, belay::detail::EnginePort& engine) {
    api::Route route = checked(own, routes);
    const std::string& path = own.path;
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1)) {
        const auto end = path.find('}', at);
        route.parameters.push_back(
            api::path_parameter(path.substr(at + 1, end - at - 1), "a part of the path"));
    }
    route.problems = {api::Problem::NotFound, api::Problem::Conflict};
    const api::Method method = *api::method_named(own.method);
    if (api::changes_state(method)) {
        route.takes = own.takes_files ? api::Takes::Form : api::Takes::Json;
        route.body_optional = true;
    }
    if (own.once) {
        route.on<api::Method::Post>(api::Once{[own, &engine](api::Request& request,
                                                             const api::Claim& claim) {
            // Named here: the body of a transaction may be called twice.
            HttpRequest asked = asked_of(request);
            return claim.transact(engine, [&](Tx& tx) { return response_of(own.once(asked, tx)); });
        }});
    } else if (own.later) {
        put(route, method, api::LaterHandler([own](api::Request& request, const api::Reply& reply) {
                HttpRequest asked = asked_of(request);
                own.later(asked, HttpReply(std::make_shared<LaterReply>(reply)));
            }));
    } else {
        put(route, method, api::Handler([own](api::Request& request) {
                HttpRequest asked = asked_of(request);
                return response_of(own.handler(asked));
            }));
    }
    routes.add(std::move(route));
}

void collect_own(const std::vector<Gauge>& gauges, api::MetricsText& out) {
    for (const Gauge& gauge : gauges) out.gauge(gauge.name, gauge.help, gauge.value());
}

void collect_own(const Metric& metric, api::MetricsText& out) {
    out.family(metric.name, metric.kind, metric.help);
    for (const Metric::Sample& sample : metric.samples)
        out.sample(metric.name, sample.labels, sample.value);
}

void add_program_route(api::Routes& routes, const Program& program, bool observes) {
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
                              {"links", std::move(links)},
                              {"observes", observes}};
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

namespace belay {

bool HttpReply::answer(HttpAnswer answer) const {
    return inside_->reply().answer(app::response_of(std::move(answer)));
}
bool HttpReply::fail(std::exception_ptr error) const {
    return inside_->reply().fail(std::move(error));
}
bool HttpReply::is_gone() const { return inside_->reply().is_gone(); }
void HttpReply::on_gone(std::function<void()> gone) const {
    inside_->reply().on_gone(std::move(gone));
}

}  // namespace belay
