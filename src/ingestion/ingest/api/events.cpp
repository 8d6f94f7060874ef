#include "ingestion/ingest/api/events.hpp"

#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/ingest/api/event_views.hpp"
#include "service/api/api.hpp"

namespace belay::ingest {

namespace {

using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

constexpr std::size_t kEventsBodyBytesMax = 4 * 1024 * 1024;

template <class T>
boost::json::object json_of(const T& view) {
    return boost::json::parse(to_json(view)).as_object();
}

// Without any token only this machine can call: its owner speaks for every organization.
InboxSender sender_of(const Request& request) {
    const bool any =
        request.caller.token_id.empty() || request.caller.organization_id == kAnyOrganization;
    return {request.caller.organization_id, any};
}

Response take_events(Inbox& inbox, const Request& request) {
    const auto messages = inbox.receive(sender_of(request), read_notifications(request.body));
    EventsAnswer answer;
    answer.received = static_cast<std::int64_t>(messages.size());
    for (const InboxMessage& message : messages) {
        answer.messages.push_back({message.id, message.status, message.kind, message.object_key,
                                   unless_empty(message.reason)});
    }
    return api::json_response(202, json_of(answer));
}

Response list_messages(Inbox& inbox, const Request& request) {
    constexpr std::array<std::string_view, 3> kNames{"status", "limit", "cursor"};
    request.query.allow_only(kNames);
    InboxFilter filter;
    filter.organization_id = request.caller.organization_id;
    filter.status = request.query.text("status");
    if (!filter.status.empty() && !is_inbox_status(filter.status)) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `status` is one of {}, not `{}`", kInboxStatuses,
                                   api::shown(filter.status)));
    }
    filter.limit = static_cast<int>(
        request.query.integer("limit", api::kListLimitDefault, 1, api::kListLimitMax));
    filter.before = request.query.text("cursor");
    const InboxPage page = list_inbox(ask_engine(inbox.engine()), filter);
    boost::json::array rows;
    for (const InboxMessage& message : page.messages)
        rows.push_back(json_of(message_view(message)));
    boost::json::object out{{"messages", std::move(rows)}, {"next_cursor", nullptr}};
    if (!page.next.empty()) out["next_cursor"] = page.next;
    return api::json_response(200, out);
}

InboxMessage message_of(Inbox& inbox, const Request& request) {
    const std::string& id = request.parameter("id");
    auto message = find_message(ask_engine(inbox.engine()), request.caller.organization_id, id);
    if (!message)
        throw ApiError(Problem::NotFound, fmt::format("there is no message `{}`", api::shown(id)));
    return *std::move(message);
}

api::Claimed act(Inbox& inbox, const Request& request, const api::Claim& claim,
                 const std::string& verb) {
    const InboxMessage message = message_of(inbox, request);
    const std::string asked = to_json(InboxRequest{message.id, verb});
    try {
        return claim.transact(inbox.engine(), [&](Tx& tx) {
            inbox_request(tx, asked);
            const auto now = find_message(ask_tx(tx), message.organization_id, message.id);
            return api::json_response(200, json_of(message_view(now.value())));
        });
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::Conflict, error.what());
        throw;
    }
}

// All of the caller's organization that were set aside.
api::Claimed retry_all(Inbox& inbox, const Request& request, const api::Claim& claim) {
    const std::string asked =
        to_json(InboxRequest{request.caller.organization_id, std::string(kRetryAll)});
    return claim.transact(inbox.engine(), [&](Tx& tx) {
        return api::json_response(200, json_of(RetriedView{std::stoll(inbox_request(tx, asked))}));
    });
}

Route route_of(std::string path, std::string summary, api::JsonSchema answer) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "events";
    route.response_schema = std::move(answer);
    return route;
}

}  // namespace

void add_event_routes(api::Routes& routes, Inbox& inbox) {
    Route take =
        route_of("/events/objects", "Notifications of an object store: S3's or R2's, one or many",
                 api::schema_of<EventsAnswer>());
    take.on<Method::Post>(api::Repeatable{
        "told twice of an object there is one run; its senders know no Idempotency-Key",
        [&inbox](Request& r) { return take_events(inbox, r); }});
    take.takes = api::Takes::Json;
    take.plain_text = true;  // SNS; what pages of other sites send is kept out by its Origin
    take.body_max = kEventsBodyBytesMax;
    take.success = 202;
    routes.add(std::move(take));

    Route list = route_of("/api/inbox", "Messages of object stores, newest first",
                          api::list_schema("messages", api::schema_of<MessageView>()));
    list.handler = [&inbox](Request& r) { return list_messages(inbox, r); };
    list.parameters = {api::query_parameter("status", fmt::format("one of {}", kInboxStatuses))};
    for (api::Parameter& parameter : api::list_parameters())
        list.parameters.push_back(std::move(parameter));
    routes.add(std::move(list));

    const auto id = api::path_parameter("id", "the message's id");
    Route show = route_of("/api/inbox/{id}", "One message", api::schema_of<MessageView>());
    show.handler = [&inbox](Request& r) {
        return api::json_response(200, json_of(message_view(message_of(inbox, r))));
    };
    show.parameters = {id};
    show.problems = {Problem::NotFound};
    routes.add(std::move(show));

    Route all = route_of("/api/inbox/retry", "Try all messages again that were set aside",
                         api::schema_of<RetriedView>());
    all.on<Method::Post>(api::Once{
        [&inbox](Request& r, const api::Claim& claim) { return retry_all(inbox, r, claim); }});
    routes.add(std::move(all));

    for (const auto& [verb, summary] :
         {std::pair{"retry", "Try a message again that was set aside"},
          std::pair{"drop", "Give a message up"}}) {
        Route route = route_of(fmt::format("/api/inbox/{{id}}/{}", verb), summary,
                               api::schema_of<MessageView>());
        route.on<Method::Post>(
            api::Once{[&inbox, verb = std::string(verb)](Request& r, const api::Claim& claim) {
                return act(inbox, r, claim, verb);
            }});
        route.parameters = {id};
        route.problems = {Problem::NotFound, Problem::Conflict};
        routes.add(std::move(route));
    }
}

}  // namespace belay::ingest
