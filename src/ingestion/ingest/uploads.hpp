// uploads.hpp — bytes that somebody sent become an object, a file and a run; and the way back, a deletion.
//
// An object's key is `organization/name`. Two different pictures called photo.jpg are both kept: the second gets
// the key `organization/<hash>/photo.jpg`, because what was accepted is never overwritten.
#pragma once

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "ingestion/ingest/ingest.hpp"
#include "ingestion/ingest/workflow_type.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::ingest {

// What is known of a file when all its bytes have come.
struct UploadFacts {
    std::string organization_id{};
    std::string name{};
    std::string content_type{};   // content_type_of()
    std::string workflow_type{};  // empty: the default of its content
    bool force = false;
    std::string source_channel = "upload";  // how it came, for people
    Labels labels{};                        // of its run
};

// All functions may be called from any thread, and block.
class Uploads {
public:
    // `engine` and `objects` outlive it. `workflow_keys` are those that this program runs: a run that nobody would
    // ever run is refused.
    Uploads(Engine& engine, objects::Store& objects, std::vector<std::string> workflow_keys);

    objects::Store& object_store() { return objects_; }
    Engine& engine() { return engine_; }

    // A file all of whose bytes have come.
    struct Incoming {
        objects::Writer* writer;
        UploadFacts facts;
    };
    // Files whose bytes are kept, and of which no row tells yet. While it lives nobody else changes their names.
    class Stored;
    // Throws as Writer::finish does; what is wrong with one file is told by Stored::refused.
    Stored store(const std::vector<Incoming>& files);

    // One file: durable when it returns. Throws Error{InvalidArgument} that says what is wrong with it (its name, type
    // or content; it is empty), and as Writer::finish and ingest_object do.
    Ingested finish(objects::Writer& writer, const UploadFacts& facts);

    // The bytes of a file as those of another type: a file and a run of their own, and the old ones go. `left` is for
    // clear_away(), after the commit. Nothing if there is no such file; throws Error{InvalidArgument} if it is of that
    // type already, or its content none that the type takes.
    std::optional<Ingested> read_as(Tx& tx, const std::string& organization_id,
                                    const std::string& file_id, const std::string& workflow_type,
                                    Leftovers& left) const;

    // Deletes a file, its bytes if no other file needs them, and what goes with it (removal.hpp). False if there is none.
    // A run that no file is left for is canceled: it asks no model any more.
    bool remove(const std::string& organization_id, const std::string& file_id,
                const std::function<void(Tx&)>& also = {});

private:
    static constexpr std::size_t kStripes = 64;

    struct Ready {
        std::optional<objects::SmallObject> small{};  // in the commit of the rows that name it
        std::optional<ObjectEvent> event{};
        std::exception_ptr refused{};  // then there is nothing else
    };

    void check(const UploadFacts& facts, const objects::Writer& writer) const;
    const WorkflowType& type_that_runs(std::string_view type, std::string_view content_type) const;
    std::size_t stripe_of(const objects::Key& key) const;
    Ready store_one(const Incoming& file, std::map<std::string, std::string>& taken);

    Engine& engine_;
    objects::Store& objects_;
    const std::vector<std::string> workflow_keys_;
    // Bytes and rows of one name change together, or a deletion would take away what was just put in its place.
    std::array<std::mutex, kStripes> stripes_;
};

class Uploads::Stored {
public:
    std::size_t size() const { return files_.size(); }
    // What is wrong with that file, an Error{InvalidArgument}; null if nothing is.
    const std::exception_ptr& refused(std::size_t place) const { return files_[place].refused; }

    // Makes a file and a run of each that was not refused. In one transaction: of what was sent together all is there,
    // or nothing.
    std::vector<Ingested> ingest(Tx& tx) const;

private:
    friend class Uploads;
    std::vector<std::unique_lock<std::mutex>> locks_;
    std::vector<Ready> files_;
};

}  // namespace belay::ingest
