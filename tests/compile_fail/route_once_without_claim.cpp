// expect-error: could not convert
// expect-error: Claimed
#include "service/api/route.hpp"

// What is done once is done by its claim: an answer alone is none.
void add(belay::api::Route& route) {
    route.on<belay::api::Method::Post>(
        belay::api::Once{[](belay::api::Request&, const belay::api::Claim&) -> belay::api::Claimed {
            return belay::api::json_response(201, {});
        }});
}
