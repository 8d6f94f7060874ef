// inbox.hpp — what was told of objects and is not done yet: rows that outlive the process.
//
// A message is durable before its sender is answered. It is then claimed for a while, handled, and marked in the
// very transaction that makes its run exist: a crash anywhere hands it out again, and told twice it asks for the
// same run. While the object store cannot be asked it waits, longer each time, and goes on when the store is back. One
// that can never work (its object is not there, nobody can read it), or that kills the process each time, is set aside
// as dead, with the reason, for a person to retry or drop.
//
//   waiting → done | ignored | dead        invalid: it could not be understood, and was acknowledged all the same
//   dead → waiting (retry) | dropped       (docs/server.md has the senders' shapes)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/time.hpp>

#include "core/env/clock.hpp"
#include "core/env/random.hpp"
#include "ingestion/ingest/notification.hpp"

namespace belay::ingest {

struct InboxMessage {
    std::string id{};
    std::string organization_id{};
    std::string source{};
    std::string action{};
    std::string kind{};
    std::string object_key{};
    std::string other_key{};
    std::string etag{};
    std::string sequencer{};
    Time event_at{};
    std::string body{};
    std::string status{};
    std::int64_t attempts = 0;
    Time due_at{};
    std::string reason{};
    std::string workflow_run_id{};
    Time received_at{};
    Time updated_at{};
    std::int64_t outages = 0;  // how often the object store could not be asked; no attempts
    // Whose objects its sender may tell of: an organization's, or `*`. Empty in rows of older programs: its key's.
    std::string speaks_for{};
};

struct InboxOptions {
    int attempts_max = 5;
    Duration first_delay = std::chrono::seconds{1};  // doubled each time
    Duration longest_delay = std::chrono::minutes{5};
    Duration longest_outage_delay =
        std::chrono::hours{2};  // while the object store is out of order
    // Whoever claims a message has so long; then it is handed out again.
    Duration claim_for = std::chrono::minutes{1};
    // Messages that are over are kept so long for people to look at.
    Duration keep_for = std::chrono::hours{24 * 7};
};

// On whose behalf messages come.
struct InboxSender {
    std::string organization_id{};
    bool any_organization = false;  // it speaks for the whole bucket
};

// All functions may be called from any thread, and block.
class Inbox {
public:
    // All three outlive it.
    Inbox(Engine& engine, const env::Clock& clock, env::Random& random, InboxOptions options = {});

    // Keeps what a sender tells, in one transaction; durable when it returns. Whether the sender may tell of the object
    // is asked when it is handled, because its metadata may say whose it is (P9).
    std::vector<InboxMessage> receive(const InboxSender& sender, std::vector<Notice> notices);

    // Takes up to `most` of those that are due, for options.claim_for. Counts the attempt before it is made, so
    // that a message which kills the process is set aside in the end.
    std::vector<InboxMessage> claim(int most);

    // After a failure: due again later, or dead when it was the last attempt or `for_good`.
    void failed(const InboxMessage& message, const std::string& reason, bool for_good);

    // The object store could not be asked: due again later, however often that was.
    void store_failed(const InboxMessage& message, const std::string& reason);
    // A key that waits for the store for longer than a claim; nothing if none does. Whether the store is back is
    // found by asking for it.
    std::optional<std::string> key_that_waits_for_the_store();
    // All that wait for the store are due now. Gives how many.
    std::int64_t store_is_back();

    // Marks a message inside the transaction that does what it asks for.
    static void finish(Tx& tx, const InboxMessage& message, std::string_view status,
                       std::string_view reason, std::string_view workflow_run_id);
    // The organization that a message turned out to be about sees it from now on.
    static void belongs_to(Tx& tx, const InboxMessage& message, const std::string& organization_id);

    // Hands out what a process that is gone had claimed. Only when nobody else can be at work.
    void release_claims();
    // Removes messages that were over long ago.
    void sweep();

    // Told when there is something to do.
    void on_news(std::function<void()> news);

    Engine& engine() { return engine_; }
    const InboxOptions& options() const { return options_; }

private:
    InboxMessage made_of(const InboxSender& sender, Notice notice, Time now);

    Engine& engine_;
    const env::Clock& clock_;
    env::Random& random_;
    const InboxOptions options_;
    std::mutex news_mutex_;
    std::function<void()> news_;
};

// ---- reading and changing the rows, wherever they are

// Runs a query: an engine's, or a store's that nobody executes on.
using Ask = std::function<SqlRows(std::string_view sql, const std::vector<SqlValue>& values)>;
Ask ask_engine(Engine& engine);
// A transaction's: it sees what that has written, and outlives the Ask.
Ask ask_tx(Tx& tx);

struct InboxFilter {
    std::string organization_id{};  // empty: of all
    std::string status{};           // empty: all
    std::string before{};           // those below this id
    int limit = 50;
};
struct InboxPage {
    std::vector<InboxMessage> messages{};  // newest first
    std::string next{};                    // give it as `before` for the rest; empty at the end
};
InboxPage list_inbox(const Ask& ask, const InboxFilter& filter);
// Nothing if there is none, or if it is another organization's.
std::optional<InboxMessage> find_message(const Ask& ask, const std::string& organization_id,
                                         const std::string& id);

// Whether `word` is a status that a message can have; the words, for messages.
bool is_inbox_status(std::string_view word);
inline constexpr std::string_view kInboxStatuses = "waiting, done, ignored, invalid, dead, dropped";

// How many messages have each status, for whoever watches.
struct InboxCounts {
    std::int64_t waiting = 0;
    std::int64_t waiting_for_store = 0;  // of those
    std::int64_t dead = 0;
};
InboxCounts count_inbox(const Ask& ask);

// What a person asks of a message: {"id", "verb": "retry"|"drop"}. Gives its status. As a control request of other
// processes, kind kInboxRequest. Throws Error{NotFound}, and Error{InvalidArgument} that says how it stands.
// `retry_all` tries every dead one of the organization that `id` names (empty: of all) again, and gives how many.
inline constexpr std::string_view kInboxRequest = "inbox";
inline constexpr std::string_view kRetryAll = "retry_all";
struct InboxRequest {
    std::string id{};
    std::string verb{};
};
BOOST_DESCRIBE_STRUCT(InboxRequest, (), (id, verb))
std::string inbox_request(Tx& tx, const std::string& request);

}  // namespace belay::ingest
