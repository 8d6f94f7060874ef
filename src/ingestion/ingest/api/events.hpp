// events.hpp — POST /events/objects, GET /api/inbox[/{id}], POST /api/inbox/{id}/{retry|drop}.
//
// A notification is answered when it is durable, whatever it says: a sender that is refused sends it again for ever.
// Its run is durable before the message is marked as done.
#pragma once

#include "ingestion/ingest/inbox.hpp"
#include "service/api/route.hpp"

namespace belay::ingest {

// A token of this organization delivers the notifications of a whole bucket, and sees nobody's runs.
inline constexpr std::string_view kAnyOrganization = "*";

// `inbox` outlives the routes.
void add_event_routes(api::Routes& routes, Inbox& inbox);

}  // namespace belay::ingest
