#include "service/app/forwarding.hpp"

#include <fmt/format.h>
#include <boost/asio/post.hpp>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

namespace belay::app {

namespace json = boost::json;

namespace {

struct Forwarded {
    std::string method;
    std::string target;
    std::string body;
    std::string content_type;
    std::string key;  // the client's Idempotency-Key
    std::string organization_id;
    std::string token_id;  // who asked, for the record of who did what
    std::string request_id;
    std::optional<std::string> traceparent;
    std::optional<std::string> tracestate;
};
BOOST_DESCRIBE_STRUCT(Forwarded, (),
                      (method, target, body, content_type, key, organization_id, token_id,
                       request_id, traceparent, tracestate))

std::optional<std::string> header_of(const api::Request& request, std::string_view name) {
    const auto found = request.headers.find(name);
    return found ? std::optional<std::string>(*found) : std::nullopt;
}

struct Done {
    int status = 500;
    std::string content_type;
    std::string body;
};
BOOST_DESCRIBE_STRUCT(Done, (), (status, content_type, body))

std::string done_by(api::Api& api, const store::ControlRequest& asked) {
    const auto from = from_json<Forwarded>(asked.payload);
    api::Request request;
    const auto method = api::method_named(from.method);
    if (!method) throw Error(ErrorCode::BadValue, "no such method");
    request.method = *method;
    api::set_target(request, from.target);
    request.headers.set("Content-Type", from.content_type);
    request.headers.set("Idempotency-Key",
                        from.key.empty() ? fmt::format("request-{}", asked.id) : from.key);
    if (from.traceparent) request.headers.set("traceparent", *from.traceparent);
    if (from.tracestate) request.headers.set("tracestate", *from.tracestate);
    request.body = from.body;
    request.caller.organization_id = from.organization_id;
    request.caller.token_id = from.token_id;
    request.request_id = from.request_id;
    const api::Response response = api.answer_for(request);
    const auto* text = std::get_if<std::string>(&response.body);
    return to_json(Done{response.status, std::string(response.headers.get("Content-Type")),
                        text != nullptr ? *text : ""});
}

}  // namespace

// ---- the observer's side

bool Forwarder::is_known_to_have_none(const std::string& who) {
    const std::lock_guard lock(mutex_);
    return !who.empty() && without_ == who;
}

std::optional<api::Response> Forwarder::forward(const api::Request& request) {
    const auto executor = observer_.executor();
    const std::string who = executor ? executor->who : "";
    if (is_known_to_have_none(who)) return std::nullopt;
    const store::Store::Answer answer = observer_.request(
        kHttpRequest, "",
        to_json(Forwarded{std::string(to_string(request.method)), request.target, request.body,
                          std::string(request.headers.get("Content-Type")),
                          std::string(request.headers.get("Idempotency-Key")),
                          request.caller.organization_id, request.caller.token_id,
                          request.request_id, header_of(request, "traceparent"),
                          header_of(request, "tracestate")}));
    if (!answer.ok) {
        if (!answer.text.starts_with("unknown request"))
            throw Error(ErrorCode::StoreUnavailable, answer.text);
        const std::lock_guard lock(mutex_);
        without_ = who;
        return std::nullopt;
    }
    auto done = from_json<Done>(answer.text);
    return api::text_response(done.status, std::move(done.content_type), std::move(done.body));
}

// ---- the executor's side

ForwardedRequests::ForwardedRequests(engine::Core& core) {
    core.on_request_later(
        kHttpRequest, [this](const store::ControlRequest& request, engine::Requests::Tell tell) {
            boost::asio::post(threads_, [this, request, tell = std::move(tell)] {
                try {
                    tell(true, done_by(*api_, request));
                } catch (const std::exception& error) {
                    tell(false, error.what());
                }
            });
        });
}

ForwardedRequests::~ForwardedRequests() { stop(); }

void ForwardedRequests::stop() { threads_.join(); }

}  // namespace belay::app
