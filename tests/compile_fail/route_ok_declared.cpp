// expect-ok
#include "service/api/route.hpp"

void add(belay::api::Route& once, belay::api::Route& repeatable, belay::Engine& engine) {
    once.on<belay::api::Method::Post>(
        belay::api::Once{[&](belay::api::Request&, const belay::api::Claim& claim) {
            return claim.transact(engine,
                                  [](belay::Tx&) { return belay::api::json_response(201, {}); });
        }});
    repeatable.on<belay::api::Method::Post>(belay::api::Repeatable{
        "it changes nothing",
        [](belay::api::Request&) { return belay::api::json_response(200, {}); }});
}
