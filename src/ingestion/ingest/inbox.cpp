#include "ingestion/ingest/inbox.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/time_ordered_id.hpp"
#include "core/base/utf8.hpp"
#include "ingestion/objects/key.hpp"

namespace belay::ingest {

namespace {

constexpr std::string_view kColumns =
    "id, organization_id, source, action, kind, object_key, other_key, etag, sequencer, event_at, "
    "body, status, attempts, due_at, reason, workflow_run_id, received_at, updated_at, outages, "
    "speaks_for";
constexpr std::size_t kReasonCharsMax = 1000;
constexpr std::size_t kWordCharsMax = 200;
constexpr int kSweepMost = 1000;

InboxMessage message_in(const SqlRow& row) {
    return InboxMessage{
        row.get<std::string>(0),   row.get<std::string>(1),  row.get<std::string>(2),
        row.get<std::string>(3),   row.get<std::string>(4),  row.get<std::string>(5),
        row.get<std::string>(6),   row.get<std::string>(7),  row.get<std::string>(8),
        row.get<Time>(9),          row.get<std::string>(10), row.get<std::string>(11),
        row.get<std::int64_t>(12), row.get<Time>(13),        row.get<std::string>(14),
        row.get<std::string>(15),  row.get<Time>(16),        row.get<Time>(17),
        row.get<std::int64_t>(18), row.get<std::string>(19)};
}

// Why a message about this key cannot be handled.
std::string problem_with_key(const std::string& key) {
    if (const auto problem = objects::Key::problem(key))
        return fmt::format("its key `{}`: {}", base::truncate(base::to_valid_utf8(key), 200),
                           *problem);
    return {};
}

Duration doubled(Duration first, std::int64_t times, Duration longest) {
    Duration delay = first;
    for (std::int64_t i = 0; i < times && delay < longest; ++i) delay *= 2;
    return std::min(delay, longest);
}

std::string_view first_status(std::string_view kind) {
    if (kind == "invalid") return "invalid";
    if (kind == "other") return "ignored";
    return "waiting";
}

}  // namespace

Inbox::Inbox(Engine& engine, const env::Clock& clock, env::Random& random, InboxOptions options)
    : engine_(engine), clock_(clock), random_(random), options_(options) {}

InboxMessage Inbox::made_of(const InboxSender& sender, Notice notice, Time now) {
    InboxMessage message;
    message.organization_id = sender.organization_id;
    std::string kind{to_string(notice.kind)};
    if (notice.kind == NoticeKind::Created || notice.kind == NoticeKind::Deleted) {
        notice.reason = problem_with_key(notice.key);
        if (!notice.reason.empty()) {
            kind = "invalid";
        } else if (sender.any_organization) {
            message.organization_id = objects::Key{notice.key}.organization();
        }
        if (!notice.other_key.empty() && !problem_with_key(notice.other_key).empty())
            notice.other_key.clear();
    }
    message.id = "msg_" + base::time_ordered_id(now, random_.next(), random_.next());
    message.source = std::move(notice.source);
    message.action = base::truncate(notice.action, kWordCharsMax);
    message.kind = std::move(kind);
    message.object_key = base::truncate(base::to_valid_utf8(notice.key), objects::kKeyBytesMax);
    message.other_key = std::move(notice.other_key);
    message.etag = base::truncate(notice.etag, kWordCharsMax);
    message.sequencer = base::truncate(notice.sequencer, kWordCharsMax);
    message.event_at = notice.at.value_or(now);
    message.body = std::move(notice.body);
    message.status = first_status(message.kind);
    message.due_at = now;
    message.reason = base::truncate(notice.reason, kReasonCharsMax);
    message.received_at = now;
    message.updated_at = now;
    message.speaks_for = sender.any_organization ? "*" : sender.organization_id;
    return message;
}

std::vector<InboxMessage> Inbox::receive(const InboxSender& sender, std::vector<Notice> notices) {
    const Time now = clock_.now();
    std::vector<InboxMessage> messages;
    messages.reserve(notices.size());
    for (Notice& notice : notices) messages.push_back(made_of(sender, std::move(notice), now));
    engine_.transact([&](Tx& tx) {
        for (const InboxMessage& m : messages) {
            tx.exec(fmt::format("INSERT INTO object_inbox ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                "?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
                                kColumns),
                    m.id, m.organization_id, m.source, m.action, m.kind, m.object_key, m.other_key,
                    m.etag, m.sequencer, m.event_at, m.body, m.status, m.attempts, m.due_at,
                    m.reason, m.workflow_run_id, m.received_at, m.updated_at, m.speaks_for);
        }
    });
    base::failpoint("inbox.received");
    const std::lock_guard lock(news_mutex_);
    if (news_) news_();
    return messages;
}

void Inbox::on_news(std::function<void()> news) {
    const std::lock_guard lock(news_mutex_);
    news_ = std::move(news);
}

std::vector<InboxMessage> Inbox::claim(int most) {
    const Time now = clock_.now();
    // A look first: nothing is due nearly always, and a look costs no commit.
    const SqlRows due = engine_.query(
        "SELECT 1 FROM object_inbox WHERE status = 'waiting' AND due_at <= ? LIMIT 1", now);
    if (due.empty()) return {};
    return engine_.transact([&](Tx& tx) {
        std::vector<InboxMessage> claimed;
        const SqlRows rows = tx.query(
            fmt::format("SELECT {} FROM object_inbox WHERE status = 'waiting' AND due_at <= ? "
                        "ORDER BY due_at, id LIMIT ?",
                        kColumns),
            now, most);
        for (const SqlRow row : rows) {
            InboxMessage message = message_in(row);
            // Two workers may look at the same row; only one changes what it saw.
            const auto changed = tx.exec(
                "UPDATE object_inbox SET attempts = ?, due_at = ?, updated_at = ? "
                "WHERE id = ? AND status = 'waiting' AND attempts = ? AND due_at = ?",
                message.attempts + 1, now + options_.claim_for, now, message.id, message.attempts,
                message.due_at);
            if (changed == 0) continue;
            ++message.attempts;
            message.due_at = now + options_.claim_for;
            claimed.push_back(std::move(message));
        }
        return claimed;
    });
}

void Inbox::store_failed(const InboxMessage& message, const std::string& reason) {
    const Time now = clock_.now();
    const Time due =
        now + doubled(options_.first_delay, message.outages, options_.longest_outage_delay);
    engine_.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE object_inbox SET attempts = attempts - 1, outages = outages + 1, reason = ?, "
            "due_at = ?, updated_at = ? WHERE id = ? AND status = 'waiting' AND attempts = ?",
            base::truncate(base::to_valid_utf8(reason), kReasonCharsMax), due, now, message.id,
            message.attempts);
    });
}

std::optional<std::string> Inbox::key_that_waits_for_the_store() {
    const SqlRows rows = engine_.query(
        "SELECT object_key FROM object_inbox WHERE status = 'waiting' AND outages > 0 AND due_at > "
        "? ORDER BY due_at LIMIT 1",
        clock_.now() + options_.claim_for);
    if (rows.empty()) return std::nullopt;
    return rows[0].get<std::string>(0);
}

std::int64_t Inbox::store_is_back() {
    const Time now = clock_.now();
    return engine_.transact([&](Tx& tx) {
        // What is claimed just now is left to who has it.
        return tx.exec(
            "UPDATE object_inbox SET due_at = ? WHERE status = 'waiting' AND outages > 0 AND "
            "due_at > ?",
            now, now + options_.claim_for);
    });
}

void Inbox::failed(const InboxMessage& message, const std::string& reason, bool for_good) {
    const Time now = clock_.now();
    const bool dead = for_good || message.attempts >= options_.attempts_max;
    const Time due =
        now + doubled(options_.first_delay, message.attempts - 1, options_.longest_delay);
    engine_.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE object_inbox SET status = ?, reason = ?, due_at = ?, updated_at = ? "
            "WHERE id = ? AND status = 'waiting' AND attempts = ?",
            dead ? "dead" : "waiting", base::truncate(base::to_valid_utf8(reason), kReasonCharsMax),
            due, now, message.id, message.attempts);
    });
}

void Inbox::finish(Tx& tx, const InboxMessage& message, std::string_view status,
                   std::string_view reason, std::string_view workflow_run_id) {
    tx.exec(
        "UPDATE object_inbox SET status = ?, reason = ?, workflow_run_id = ?, updated_at = ? "
        "WHERE id = ? AND status = 'waiting'",
        status, base::truncate(reason, kReasonCharsMax), workflow_run_id, tx.now(), message.id);
}

void Inbox::release_claims() {
    const Time now = clock_.now();
    engine_.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE object_inbox SET due_at = ? WHERE status = 'waiting' AND (attempts > 0 OR "
            "outages > 0) AND due_at > ?",
            now, now);
    });
}

void Inbox::belongs_to(Tx& tx, const InboxMessage& message, const std::string& organization_id) {
    if (organization_id == message.organization_id) return;
    tx.exec("UPDATE object_inbox SET organization_id = ? WHERE id = ?", organization_id,
            message.id);
}

void Inbox::sweep() {
    const Time before = clock_.now() - options_.keep_for;
    engine_.transact([&](Tx& tx) {
        tx.exec(
            "DELETE FROM object_inbox WHERE id IN (SELECT id FROM object_inbox WHERE "
            "status IN ('done', 'ignored', 'invalid', 'dropped') AND updated_at < ? LIMIT ?)",
            before, kSweepMost);
    });
}

namespace {

template <class From>
Ask ask(From& from) {
    return [&from](std::string_view sql, const std::vector<SqlValue>& values) {
        switch (values.size()) {
            case 0:
                return from.query(sql);
            case 1:
                return from.query(sql, values[0]);
            case 2:
                return from.query(sql, values[0], values[1]);
            case 3:
                return from.query(sql, values[0], values[1], values[2]);
            default:
                return from.query(sql, values.at(0), values.at(1), values.at(2), values.at(3));
        }
    };
}

}  // namespace

Ask ask_engine(Engine& engine) { return ask(engine); }
Ask ask_tx(Tx& tx) { return ask(tx); }

InboxPage list_inbox(const Ask& ask, const InboxFilter& filter) {
    std::string sql = fmt::format("SELECT {} FROM object_inbox WHERE 1 = 1", kColumns);
    std::vector<SqlValue> values;
    const auto only = [&](std::string_view condition, const std::string& value) {
        if (value.empty()) return;
        sql += condition;
        values.emplace_back(value);
    };
    only(" AND organization_id = ?", filter.organization_id);
    only(" AND status = ?", filter.status);
    only(" AND id < ?", filter.before);
    sql += " ORDER BY id DESC LIMIT ?";
    values.emplace_back(std::int64_t{filter.limit} + 1);
    InboxPage page;
    for (const SqlRow row : ask(sql, values)) {
        if (page.messages.size() == static_cast<std::size_t>(filter.limit)) {
            page.next = page.messages.back().id;
            break;
        }
        page.messages.push_back(message_in(row));
    }
    return page;
}

std::optional<InboxMessage> find_message(const Ask& ask, const std::string& organization_id,
                                         const std::string& id) {
    const SqlRows rows =
        ask(fmt::format("SELECT {} FROM object_inbox WHERE id = ?", kColumns), {SqlValue{id}});
    if (rows.empty()) return std::nullopt;
    InboxMessage message = message_in(rows[0]);
    if (!organization_id.empty() && message.organization_id != organization_id) return std::nullopt;
    return message;
}

InboxCounts count_inbox(const Ask& ask) {
    InboxCounts counts;
    for (const SqlRow row :
         ask("SELECT status, count(*), sum(CASE WHEN outages > 0 THEN 1 ELSE 0 END) FROM "
             "object_inbox WHERE status IN ('waiting', 'dead') GROUP BY status",
             {})) {
        if (row.get<std::string>(0) == "dead") {
            counts.dead = row.get<std::int64_t>(1);
        } else {
            counts.waiting = row.get<std::int64_t>(1);
            counts.waiting_for_store = row.get<std::int64_t>(2);
        }
    }
    return counts;
}

bool is_inbox_status(std::string_view word) {
    constexpr std::array<std::string_view, 6> kWords{"waiting", "done", "ignored",
                                                     "invalid", "dead", "dropped"};
    return std::ranges::find(kWords, word) != kWords.end();
}

std::string inbox_request(Tx& tx, const std::string& text) {
    const auto request = from_json<InboxRequest>(text);
    if (request.verb == kRetryAll) {
        return std::to_string(tx.exec(
            "UPDATE object_inbox SET status = 'waiting', attempts = 0, outages = 0, due_at = ?, "
            "updated_at = ? WHERE status = 'dead' AND (? = '' OR organization_id = ?)",
            tx.now(), tx.now(), request.id, request.id));
    }
    const auto status =
        tx.value<std::string>("SELECT status FROM object_inbox WHERE id = ?", request.id);
    if (!status)
        throw Error(ErrorCode::NotFound, fmt::format("there is no message `{}`", request.id));
    if (request.verb == "retry") {
        if (*status != "dead" && *status != "dropped" && *status != "waiting") {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("message {} is {}: nothing is left to try", request.id, *status));
        }
        tx.exec(
            "UPDATE object_inbox SET status = 'waiting', attempts = 0, outages = 0, due_at = ?, "
            "updated_at = ? WHERE id = ?",
            tx.now(), tx.now(), request.id);
        return "waiting";
    }
    if (request.verb != "drop") {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a message is told to `retry` or `drop`, not `{}`",
                                base::truncate(request.verb, 40)));
    }
    if (*status == "done") {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("message {} is done: its run exists", request.id));
    }
    tx.exec("UPDATE object_inbox SET status = 'dropped', updated_at = ? WHERE id = ?", tx.now(),
            request.id);
    return "dropped";
}

}  // namespace belay::ingest
