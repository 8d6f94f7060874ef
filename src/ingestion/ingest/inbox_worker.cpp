#include "ingestion/ingest/inbox_worker.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/utf8.hpp"
#include "core/env/thread.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "ingestion/ingest/file_name.hpp"
#include "ingestion/ingest/ingest.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

namespace {

constexpr int kClaimMost = 16;
// Messages that come through this process wake a hand at once; those that another process freed, or whose time has
// come, are found by looking.
constexpr std::chrono::milliseconds kLookEvery{500};
constexpr int kLooksBetweenSweeps = 7200;  // an hour
constexpr int kLooksAtTheStore = 30;       // a quarter of a minute

// What a retry cannot mend.
class NeverWorks : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Its sender may not tell of it.
class NotYours : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The store was asked, and has no such object.
class NotThere : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// What whoever put the object says of it; names as S3's headers bring them.
std::string said(const objects::Object& object, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        const auto found = object.metadata.find(std::string(name));
        if (found != object.metadata.end() && !found->second.empty()) return found->second;
    }
    return {};
}

bool is_own_key(const InboxMessage& message) {
    return message.speaks_for.empty() || message.speaks_for == "*" ||
           objects::Key{message.object_key}.organization() == message.speaks_for;
}

// What S3 sends is escaped; what cannot be read that way is taken as it stands.
std::string_view how_it_was_read(const InboxMessage& message) {
    return message.source == "s3" && !unescaped(message.object_key) &&
                   message.object_key.find('%') != std::string::npos
               ? "; that key cannot be read as S3 escapes it (%XX), and was taken as it stands"
               : "";
}

// In the same words whether there is such an object or not: nobody learns of other organizations' objects (P9).
NotYours not_yours(const InboxMessage& message) {
    return NotYours(fmt::format("its key belongs to organization `{}`; this token speaks for `{}`",
                                base::truncate(objects::Key{message.object_key}.organization(), 80),
                                message.speaks_for));
}

// Whose the object is: as its metadata says, or its key's. Held against what the sender may tell of.
std::string organization_of(const InboxMessage& message, const objects::Object& object) {
    const std::string key = object.key.text();
    std::string organization = said(object, {"organizationid", "organization_id"});
    if (organization.empty()) organization = object.key.organization();
    if (message.speaks_for != "*" && !message.speaks_for.empty() &&
        organization != message.speaks_for)
        throw not_yours(message);
    if (message.speaks_for.empty() && organization != object.key.organization())
        throw not_yours(message);
    if (organization == "*" || organization.find('/') != std::string::npos ||
        objects::Key::problem(organization + "/name"))
        throw NeverWorks(fmt::format("its metadata names an organization `{}`, which is no name",
                                     base::truncate(base::to_valid_utf8(organization), 80)));
    return organization;
}

std::string first_bytes(objects::Store& objects, const objects::Key& key) {
    return objects.get(key, kSniffBytes, {0, kSniffBytes}).value_or("");
}

}  // namespace

InboxWorker::InboxWorker(Inbox& inbox, objects::Store& objects,
                         std::vector<std::string> workflow_keys, Log log)
    : inbox_(inbox), objects_(objects), workflow_keys_(std::move(workflow_keys)),
      log_(std::move(log)) {}

InboxWorker::~InboxWorker() { stop(); }

void InboxWorker::tell(std::string_view line) const {
    if (log_) log_(line);
}

int InboxWorker::handle_due() {
    int handled = 0;
    for (;;) {
        const auto messages = inbox_.claim(kClaimMost);
        if (messages.empty()) return handled;
        for (const InboxMessage& message : messages) {
            if (stopping_) return handled;  // the claim ends by itself
            handle(message);
            ++handled;
        }
    }
}

void InboxWorker::handle(const InboxMessage& message) {
    // It was handed out so often before and never came back: it takes the process with it.
    if (message.attempts > inbox_.options().attempts_max) {
        return inbox_.failed(message,
                             message.reason.empty()
                                 ? "every attempt ended with the process that made it"
                                 : message.reason,
                             true);
    }
    base::failpoint("inbox.claimed");
    try {
        if (message.kind == "deleted") {
            deleted(message);
        } else {
            created(message);
        }
    } catch (const NotYours& error) {
        inbox_.engine().transact(
            [&](Tx& tx) { Inbox::finish(tx, message, "invalid", error.what(), {}); });
    } catch (const NeverWorks& error) {
        inbox_.failed(message, error.what(), true);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Stopped) throw;
        if (error.code() == ErrorCode::InvalidArgument) {
            inbox_.failed(message, error.what(), true);
        } else {
            inbox_.store_failed(message, error.what());
        }
    } catch (const NotThere& error) {
        inbox_.failed(message, error.what(), false);
    } catch (const std::exception& error) {
        inbox_.store_failed(message, error.what());
    }
    base::failpoint("inbox.handled");
}

std::int64_t InboxWorker::look_for_the_store() {
    const auto key = inbox_.key_that_waits_for_the_store();
    if (!key) return 0;
    try {
        objects_.head(objects::Key{*key});
    } catch (const std::exception&) {
        return 0;
    }
    const std::int64_t revived = inbox_.store_is_back();
    tell(fmt::format("inbox: {} answers again; {} message{} that waited for it {} tried now",
                     objects_.name(), revived, revived == 1 ? "" : "s",
                     revived == 1 ? "is" : "are"));
    return revived;
}

void InboxWorker::created(const InboxMessage& message) {
    std::optional<objects::Object> object;
    for (const std::string& key : {message.object_key, message.other_key}) {
        if (key.empty() || object) continue;
        object = objects_.head(objects::Key{key});
    }
    if (!object) {
        if (!is_own_key(message)) throw not_yours(message);
        // It may be on its way; or it was deleted since, and then its own event tells so.
        const SqlRows gone = inbox_.engine().query(
            "SELECT 1 FROM object_heads WHERE object_key = ? AND deleted = 1 AND event_at >= ?",
            message.object_key, message.event_at);
        if (gone.empty())
            throw NotThere(fmt::format("there is no object `{}` in {}{}", message.object_key,
                                       objects_.name(), how_it_was_read(message)));
        inbox_.engine().transact([&](Tx& tx) {
            Inbox::finish(tx, message, "ignored", "the object was deleted after this event", {});
        });
        return;
    }
    ObjectEvent event{*object};
    event.source_channel = "event";
    event.at = message.event_at;
    event.told_etag = message.etag;
    event.sequencer = message.sequencer;
    const auto named = object->metadata.find("workflow_type");
    event.workflow_type = named == object->metadata.end() ? "image" : named->second;
    if (event.workflow_type == kPageOfDocument) {
        inbox_.engine().transact([&](Tx& tx) {
            Inbox::finish(tx, message, "ignored", "it is the picture of a document's page", {});
        });
        return;
    }
    event.organization_id = organization_of(message, *object);
    // As its uploader calls it; the key's own name if that cannot be one.
    const std::string name = said(*object, {"name", "file_name"});
    if (!name.empty() && is_file_name(name)) event.name = name;
    event.object.content_type = content_type_of(first_bytes(objects_, object->key),
                                                object->content_type, object->key.name());
    const WorkflowType& type = workflow_type_for(event.workflow_type, event.object.content_type);
    if (std::ranges::find(workflow_keys_, type.workflow_key) == workflow_keys_.end())
        throw NeverWorks(fmt::format("this server does not run {}", type.workflow_key));
    inbox_.engine().transact([&](Tx& tx) {
        Inbox::belongs_to(tx, message, event.organization_id);
        const IngestOutcome outcome = ingest_object(tx, event);
        if (const auto* old = std::get_if<OutOfDate>(&outcome))
            return Inbox::finish(tx, message, "ignored", old->reason, {});
        const Ingested& file = std::get<Ingested>(outcome);
        Inbox::finish(tx, message, "done", file.duplicate ? "the run was there already" : "",
                      file.workflow_run_id);
    });
}

void InboxWorker::deleted(const InboxMessage& message) {
    // Nobody can be asked under which of its two readings the key was known: whoever knows one wins.
    std::string key = message.object_key;
    if (!message.other_key.empty()) {
        const SqlRows known = inbox_.engine().query(
            "SELECT object_key FROM object_heads WHERE object_key = ? OR object_key = ? "
            "ORDER BY CASE WHEN object_key = ? THEN 0 ELSE 1 END",
            message.object_key, message.other_key, message.object_key);
        if (!known.empty()) key = known[0].get<std::string>(0);
    }
    Leftovers left;
    inbox_.engine().transact([&](Tx& tx) {
        left = {};
        const auto outcome =
            forget_object(tx, {objects::Key{key}, message.event_at, message.sequencer,
                               is_own_key(message) ? "" : message.speaks_for});
        if (const auto* old = std::get_if<OutOfDate>(&outcome))
            return Inbox::finish(tx, message, "ignored", old->reason, {});
        left = std::get<Removed>(outcome).left;
        const auto files = std::get<Removed>(outcome).files;
        Inbox::finish(tx, message, "done",
                      files == 0 ? "no file of it was known"
                                 : fmt::format("{} file{} removed", files, files == 1 ? "" : "s"),
                      {});
    });
    clear_away(inbox_.engine(), objects_, left, "its object was deleted");
}

void InboxWorker::start(int threads) {
    for (int i = 0; i < threads; ++i) hands_.push_back(std::make_unique<Hand>());
    inbox_.on_news([this] {
        for (const auto& hand : hands_) hand->parker.unpark();
    });
    for (const auto& hand : hands_)
        hand->thread = env::start_thread("belay-inbox", [this, &hand = *hand] { work(hand); });
}

void InboxWorker::stop() {
    if (!hands_.empty()) inbox_.on_news({});
    stopping_ = true;
    for (const auto& hand : hands_) hand->parker.unpark();
    for (const auto& hand : hands_) {
        if (hand->thread.joinable()) hand->thread.join();
    }
}

void InboxWorker::work(Hand& hand) {
    const bool sweeps = &hand == hands_.front().get();
    int looks = 0;
    while (!stopping_) {
        try {
            if (sweeps && looks % kLooksAtTheStore == 0) look_for_the_store();
            handle_due();
            if (sweeps && ++looks % kLooksBetweenSweeps == 0) inbox_.sweep();
        } catch (const Error& error) {
            if (error.code() == ErrorCode::Stopped) return;
            tell(fmt::format("inbox: {}", error.what()));
        } catch (const std::exception& error) {
            tell(fmt::format("inbox: {}", error.what()));
        }
        hand.parker.park_for(kLookEvery);
    }
}

}  // namespace belay::ingest
