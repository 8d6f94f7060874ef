// uploads.hpp — bytes that somebody sent become an object, a file and a run; and the way back, a deletion.
//
// An object's key is `organization/name`. Two different pictures called photo.jpg are both kept: the second gets
// the key `organization/<hash>/photo.jpg`, because what was accepted is never overwritten.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "ingestion/ingest/ingest.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::ingest {

// What is known of a file when all its bytes have come.
struct UploadFacts {
    std::string organization_id{};
    std::string name{};
    std::string content_type{};   // content_type_of()
    std::string workflow_type{};  // empty: the default of its content
    bool force = false;
};

// All functions may be called from any thread, and block.
class Uploads {
public:
    // `engine` and `objects` outlive it. `workflow_keys` are those that this program runs: a run that nobody would
    // ever run is refused.
    Uploads(Engine& engine, objects::Store& objects, std::vector<std::string> workflow_keys);

    objects::Store& object_store() { return objects_; }
    Engine& engine() { return engine_; }

    // Durable when it returns. Throws Error{InvalidArgument} that says what is wrong with this file (its name, type
    // or content; it is empty), and as Writer::finish and ingest_object do.
    Ingested finish(objects::Writer& writer, const UploadFacts& facts);

    // Deletes a file, and its bytes if no other file needs them. False if there is none. A run that has not read
    // them yet will fail and say so.
    bool remove(const std::string& organization_id, const std::string& file_id);

private:
    static constexpr std::size_t kStripes = 64;

    void check(const UploadFacts& facts, const objects::Writer& writer) const;
    std::mutex& stripe_of(const objects::Key& key);

    Engine& engine_;
    objects::Store& objects_;
    const std::vector<std::string> workflow_keys_;
    // Bytes and rows of one name change together, or a deletion would take away what was just put in its place.
    std::array<std::mutex, kStripes> stripes_;
};

}  // namespace belay::ingest
