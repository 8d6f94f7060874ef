// expect-error: a POST says what a second one does
#include "service/api/route.hpp"

void add(belay::api::Routes& routes) {
    belay::api::Route route;
    route.path = "/api/things";
    route.summary = "Make a thing";
    route.on<belay::api::Method::Post>(
        [](belay::api::Request&) { return belay::api::json_response(201, {}); });
    routes.add(std::move(route));
}
