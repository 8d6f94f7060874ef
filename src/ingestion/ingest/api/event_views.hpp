// event_views.hpp — messages of the inbox as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include <belay/codec.hpp>

#include "core/base/text.hpp"
#include "ingestion/ingest/inbox.hpp"

namespace belay::ingest {

// What a sender is told of each of its messages, in their order.
struct ReceiptView {
    std::string id{};
    std::string status{};
    std::string kind{};
    std::string key{};
    std::optional<std::string> reason{};
};
BOOST_DESCRIBE_STRUCT(ReceiptView, (), (id, status, kind, key, reason))

struct EventsAnswer {
    std::int64_t received = 0;
    std::vector<ReceiptView> messages{};
};
BOOST_DESCRIBE_STRUCT(EventsAnswer, (), (received, messages))

// The answer to POST /api/inbox/retry.
struct RetriedView {
    std::int64_t retried = 0;
};
BOOST_DESCRIBE_STRUCT(RetriedView, (), (retried))

struct MessageView {
    std::string id{};
    std::string organization_id{};
    std::string status{};
    std::string kind{};
    std::string source{};
    std::string action{};
    std::string key{};
    std::string etag{};
    std::string event_at{};
    std::int64_t attempts = 0;
    std::optional<std::string> next_attempt_at{};
    std::optional<std::string> reason{};
    std::optional<std::string> workflow_run_id{};
    std::string received_at{};
    std::string updated_at{};
    std::string body{};
};
BOOST_DESCRIBE_STRUCT(MessageView, (),
                      (id, organization_id, status, kind, source, action, key, etag, event_at,
                       attempts, next_attempt_at, reason, workflow_run_id, received_at, updated_at,
                       body))

inline std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

inline MessageView message_view(const InboxMessage& m) {
    MessageView view;
    view.id = m.id;
    view.organization_id = m.organization_id;
    view.status = m.status;
    view.kind = m.kind;
    view.source = m.source;
    view.action = m.action;
    view.key = m.object_key;
    view.etag = m.etag;
    view.event_at = base::format_time(m.event_at);
    view.attempts = m.attempts + m.outages;
    if (m.status == "waiting") view.next_attempt_at = base::format_time(m.due_at);
    view.reason = unless_empty(m.reason);
    view.workflow_run_id = unless_empty(m.workflow_run_id);
    view.received_at = base::format_time(m.received_at);
    view.updated_at = base::format_time(m.updated_at);
    view.body = m.body;
    return view;
}

}  // namespace belay::ingest
