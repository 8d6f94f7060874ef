// api.hpp — a request in, a response out: routing, who asks, once only, and what went wrong.
//
// The server (server/) knows sockets and nothing else; it asks admit() when it has the headers, reads
// the body as the route wants it, and calls call(). Everything here is tested without a socket.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "service/api/auth.hpp"
#include "service/api/body.hpp"
#include "service/api/event_feed.hpp"
#include "service/api/gate.hpp"
#include "service/api/idempotency.hpp"
#include "service/api/metrics.hpp"
#include "service/api/route.hpp"
#include "service/api/static_files.hpp"
#include "service/api/upload.hpp"
#include "service/api/veil.hpp"

namespace belay::api {

// What an Api stands on. All of it outlives the Api; pointers may be null.
struct ApiParts {
    Auth& auth;
    Idempotency& idempotency;
    Metrics& metrics;
    Gate gate{};
    const StaticFiles* files = nullptr;  // the page; null: there is none
    UploadSink* uploads = nullptr;       // null: no route may take a form
    EventFeed* events = nullptr;         // null: /api/live is not there
    // Told of faults of ours: the request's id and what happened.
    std::function<void(std::string_view request_id, std::string_view what)> log_fault{};
    // Has what changes something done by another process, if that can: then its answer. Null: it is done here.
    std::function<std::optional<Response>(const Request&)> elsewhere{};
    // What strangers are not shown, with what they read instead.
    std::vector<std::pair<std::string, std::string>> hidden{};
};

class Api {
public:
    explicit Api(ApiParts parts);

    // Where others put their routes, before the first request.
    Routes& routes() { return routes_; }
    const ApiParts& parts() const { return parts_; }
    const Veil& veil() const { return veil_; }

    // Given a request without its body: the route to call, with the request's caller and path
    // parameters filled in; or the answer, if there is one already (a refusal, a file of the page).
    // May block. Never throws.
    std::variant<const Route*, Response> admit(Request& request);
    // The path pattern that a request leads to, for metrics and logs; "" if there is none.
    std::string_view route_name(const Request& request) const;

    // Handles a request that was admitted, now with its body. May block. Never throws.
    Response call(const Route& route, Request& request);

    // The same of a route whose answer comes later: `reply` is answered then, or now. May block. Never throws.
    void begin(const Route& route, Request& request, const Reply& reply);
    Response end(const Request& request, ReplyOutcome outcome);

    // A request that another server took in and hands on, with its caller filled in: no token is asked for. May block.
    // Never throws.
    Response answer_for(Request& request);

    // The answer to what never became a request (a broken header, a timeout), and to a refusal while a
    // body is read. `request` may be empty.
    Response refuse(const Request& request, Problem problem, std::string_view message);
    // The same for what was thrown while a body was read.
    Response refuse(const Request& request, std::exception_ptr error);

private:
    const Route& find(Request& request);
    Response do_once(const Route& route, Request& request, const Claim& claim);
    static void check_body(const Route& route, const Request& request);
    Response finished(const Request& request, Response response) const;
    Response error_answer(const Request& request);

    ApiParts parts_;
    Veil veil_;
    Routes routes_;
};

}  // namespace belay::api
