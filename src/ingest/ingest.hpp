// ingest.hpp — the one door: an object becomes a file and a run, in one transaction.
//
// Whoever learns of an object (the upload route, a notification) calls ingest_object. The file's row, for images
// the Upload row, what is known of the key, and the run itself commit together: there is no file without a run and
// no run without its file. Told twice of the same object, it answers with the run there is.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/time.hpp>

#include "objects/object.hpp"

namespace belay::ingest {

// An object that is there, durably.
struct ObjectEvent {
    objects::Object object;
    std::string name{};           // as people call it; the key's own name if empty
    std::string workflow_type{};  // empty: the default of its content
    std::string source_channel{};  // "upload", "event": for people
    std::optional<Time> at{};     // when it was put, if a notification says so; now otherwise
    bool force = false;           // run it anew even if there is a run
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
};
BOOST_DESCRIBE_STRUCT(Ingested, (),
                      (file_id, name, key, etag, size, content_type, workflow_run_id, workflow_key,
                       status, duplicate))

// A newer event of this key was handled before: nothing was done.
struct OutOfDate {
    std::string reason{};
};

using IngestOutcome = std::variant<Ingested, OutOfDate>;

// Durable when it returns. Throws Error{InvalidArgument} for a type that there is not or that does not take this
// content, and as Engine::transact does.
IngestOutcome ingest_object(Engine& engine, const ObjectEvent& event);

}  // namespace belay::ingest
