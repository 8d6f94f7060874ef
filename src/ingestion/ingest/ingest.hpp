// ingest.hpp — the one door: an object becomes a file and a run, in one transaction.
//
// Whoever learns of an object (the upload route, a notification) calls ingest_object. The file's row, for images
// the Upload row, what is known of the key, and the run itself commit together: there is no file without a run and
// no run without its file. Told twice of the same object, it answers with the run there is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/time.hpp>

#include "ingestion/ingest/removal.hpp"
#include "ingestion/objects/object.hpp"

namespace belay::ingest {

// An object that is there, durably.
struct ObjectEvent {
    objects::Object object;
    std::string name{};            // as people call it; the key's own name if empty
    std::string workflow_type{};   // empty: the default of its content
    std::string source_channel{};  // "upload", "event", "watch": for people
    std::optional<Time> at{};      // when it was put, if a notification says so; now otherwise
    bool force = false;            // run it anew even if there is a run
    std::string told_etag{};  // the version that a notification speaks of; empty: the object's own
    std::string sequencer{};  // S3's order among the events of one key; empty: by time
    // Whose it is; empty: its key's. The caller has seen that it may say so.
    std::string organization_id{};
    Labels labels{};  // of the run, if this starts one
    bool is_known =
        false;  // nothing happened to the object: one of its files is wanted as another type
};

// The whole input of every run that is about a file.
struct FileInput {
    std::string file_id{};
};
BOOST_DESCRIBE_STRUCT(FileInput, (), (file_id))

// A file that has a run: this one, or one that was there before.
struct Ingested {
    std::string file_id{};
    std::string name{};
    std::string key{};
    std::string etag{};
    std::int64_t size = 0;
    std::string content_type{};
    std::string workflow_run_id{};
    std::string workflow_key{};
    std::string status{};
    bool duplicate = false;
    Leftovers left{};  // of the file whose place it took: for clear_away(), after the commit
};
BOOST_DESCRIBE_STRUCT(Ingested, (),
                      (file_id, name, key, etag, size, content_type, workflow_run_id, workflow_key,
                       status, duplicate))

// A newer event of this key was handled before: nothing was done.
struct OutOfDate {
    std::string reason{};
};

using IngestOutcome = std::variant<Ingested, OutOfDate>;

// An object that is another organization's already is OutOfDate. Durable when it returns. Throws Error{InvalidArgument} for a type that there is not or that does not take this
// content, and as Engine::transact does.
IngestOutcome ingest_object(Engine& engine, const ObjectEvent& event);

// The same as part of a transaction: whoever was told of the object records in it that it was.
IngestOutcome ingest_object(Tx& tx, const ObjectEvent& event);

// An object that is gone, as a notification tells it.
struct ObjectGone {
    objects::Key key;
    Time at{};
    std::string sequencer{};
    std::string only_of{};  // if not empty, only files of this organization may go with it
};

struct Removed {
    std::int64_t files = 0;  // rows that were removed with it
    Leftovers left{};        // for clear_away(), after the commit
};

// Its files are removed and the key is marked, so that a late "created" cannot bring it back; the object created
// again later is a new generation with a run of its own. A run that has not read it yet will fail and say so.
std::variant<Removed, OutOfDate> forget_object(Tx& tx, const ObjectGone& gone);

// Whether the event numbered `a` came before `b`, as S3 compares them: hexadecimal, the shorter one filled up with
// zeros at its end.
bool sequencer_before(std::string_view a, std::string_view b);

}  // namespace belay::ingest
