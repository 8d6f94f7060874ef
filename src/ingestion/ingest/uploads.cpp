#include "ingestion/ingest/uploads.hpp"
#include "ingestion/ingest/object_rows.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "ingestion/ingest/file_name.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/removal.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

namespace {

// Enough of a hash that two contents never share a folder.
constexpr std::size_t kHashCharsInKey = 32;

// Gives whether no file needs the bytes any more.
bool remove_rows(Tx& tx, const FileRow& file, Leftovers& left) {
    left = {};  // a commit that has to be redone begins anew
    const auto changed = tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS "
        "NULL",
        tx.now(), tx.now(), file.id);
    if (changed == 0) return false;
    tx.exec("DELETE FROM file_thumbnails WHERE file_id = ?", file.id);
    tx.publish("upload_deleted",
               boost::json::value{{"name", file.name}, {"key", file.key}, {"file_id", file.id}},
               {file.organization_id});
    take_out(tx, file.id, left);
    const auto live = [&](std::string_view column, const std::string& value) {
        return tx
            .value<int>(fmt::format("SELECT count(*) FROM unified_files WHERE {} = ? AND "
                                    "deleted_at IS NULL",
                                    column),
                        value)
            .value_or(0);
    };
    if (file.workflow_type == "image")
        tx.exec("DELETE FROM Upload WHERE r2_key = ? AND r2_etag = ?", file.key, file.etag);
    if (live("object_key", file.key) > 0) return false;
    tx.exec(
        "UPDATE object_heads SET deleted = 1, event_at = CASE WHEN event_at > ? THEN event_at "
        "ELSE ? END WHERE object_key = ?",
        tx.now(), tx.now(), file.key);
    return true;
}

}  // namespace

Uploads::Uploads(Engine& engine, objects::Store& objects, std::vector<std::string> workflow_keys)
    : engine_(engine), objects_(objects), workflow_keys_(std::move(workflow_keys)) {}

void Uploads::check(const UploadFacts& facts, const objects::Writer& writer) const {
    if (writer.size() == 0) throw Error(ErrorCode::InvalidArgument, "this file is empty");
    type_that_runs(facts.workflow_type, facts.content_type);
}

const WorkflowType& Uploads::type_that_runs(std::string_view named,
                                            std::string_view content_type) const {
    const WorkflowType& type = workflow_type_for(named, content_type);
    if (std::ranges::find(workflow_keys_, type.workflow_key) == workflow_keys_.end()) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("workflow_type `{}` is {}, which this server does not run; it runs {}",
                        type.type, type.workflow_key, fmt::join(workflow_keys_, ", ")));
    }
    return type;
}

// `taken`: what the keys of the files before it will hold, which are not objects yet.
Uploads::Ready Uploads::store_one(const Incoming& file, std::map<std::string, std::string>& taken) {
    const UploadFacts& facts = file.facts;
    check(facts, *file.writer);
    const std::string name = name_in_key(facts.name);
    const objects::Key plain{facts.organization_id, name};
    const std::string sha256 = file.writer->sha256();

    std::string there = taken[plain.text()];
    if (there.empty()) {
        if (const auto object = objects_.head(plain)) there = object->sha256;
    }
    const bool is_taken = !there.empty() && there != sha256;
    const objects::Key key =
        is_taken ? objects::Key{facts.organization_id,
                                fmt::format("{}/{}", sha256.substr(0, kHashCharsInKey), name)}
                 : plain;
    if (!is_taken) taken[plain.text()] = sha256;
    objects::Description description;
    description.content_type = facts.content_type;
    description.metadata["workflow_type"] =
        workflow_type_for(facts.workflow_type, facts.content_type).type;
    // For whoever learns of the object only by a notification: its key does not say how people call it.
    if (key.name() != facts.name) description.metadata["file_name"] = facts.name;
    auto small = file.writer->take_small(key, description);
    ObjectEvent event{small ? small->object : file.writer->finish(key, description)};
    event.name = facts.name;
    event.workflow_type = facts.workflow_type;
    event.source_channel = facts.source_channel;
    event.force = facts.force;
    event.labels = facts.labels;
    return {std::move(small), std::move(event), nullptr};
}

Uploads::Stored Uploads::store(const std::vector<Incoming>& files) {
    Stored stored;
    // Each once and in one order, or two that send the same names would wait for each other.
    std::set<std::size_t> stripes;
    for (const Incoming& file : files) {
        if (!is_file_name(file.facts.name)) continue;
        stripes.insert(
            stripe_of(objects::Key{file.facts.organization_id, name_in_key(file.facts.name)}));
    }
    for (const std::size_t stripe : stripes) stored.locks_.emplace_back(stripes_[stripe]);
    std::map<std::string, std::string> taken;
    for (const Incoming& file : files) {
        try {
            stored.files_.push_back(store_one(file, taken));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::InvalidArgument) throw;
            stored.files_.push_back(Ready{{}, {}, std::current_exception()});
        }
    }
    base::failpoint("upload.stored");
    return stored;
}

std::vector<Ingested> Uploads::Stored::ingest(Tx& tx) const {
    std::vector<Ingested> all;
    for (const Ready& file : files_) {
        if (file.refused) continue;
        if (file.small) put_object_row(tx, *file.small);
        IngestOutcome outcome = ingest_object(tx, *file.event);
        if (const auto* old = std::get_if<OutOfDate>(&outcome))
            throw Error(ErrorCode::Overloaded, old->reason + "; send it again");
        all.push_back(std::get<Ingested>(std::move(outcome)));
    }
    return all;
}

Ingested Uploads::finish(objects::Writer& writer, const UploadFacts& facts) {
    const Stored stored = store({{&writer, facts}});
    if (stored.refused(0)) std::rethrow_exception(stored.refused(0));
    Ingested file = engine_.transact([&](Tx& tx) { return stored.ingest(tx).front(); });
    clear_away(engine_, objects_, file.left, kRunAnew);
    return file;
}

std::optional<Ingested> Uploads::read_as(Tx& tx, const std::string& organization_id,
                                         const std::string& file_id,
                                         const std::string& workflow_type, Leftovers& left) const {
    const auto file = find_file(tx, organization_id, file_id);
    if (!file || file->file_type == "pdf_page") return std::nullopt;
    const WorkflowType& type = type_that_runs(workflow_type, file->content_type);
    if (type.type == file->workflow_type)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} was read as {} already", file->name, type.type));
    ObjectEvent event{objects::Object{objects::Key{file->key},
                                      file->etag,
                                      static_cast<std::uint64_t>(file->size),
                                      file->content_type,
                                      file->sha256,
                                      tx.now(),
                                      {}}};
    event.name = file->name;
    event.workflow_type = type.type;
    event.source_channel = "read_as";
    event.is_known = true;
    event.organization_id = organization_id;
    IngestOutcome outcome = ingest_object(tx, event);
    if (const auto* old = std::get_if<OutOfDate>(&outcome))
        throw Error(ErrorCode::InvalidArgument, old->reason);
    remove_rows(tx, *file, left);
    return std::get<Ingested>(std::move(outcome));
}

bool Uploads::remove(const std::string& organization_id, const std::string& file_id,
                     const std::function<void(Tx&)>& also) {
    const auto file = find_file(engine_, organization_id, file_id);
    if (!file) return false;
    // A notification's file may be called what no upload may be.
    const std::string name = is_file_name(file->name) ? name_in_key(file->name) : file->id;
    const std::lock_guard lock(stripes_[stripe_of(objects::Key{organization_id, name})]);
    Leftovers left;
    const bool unused = engine_.transact([&](Tx& tx) {
        if (also) also(tx);
        return remove_rows(tx, *file, left);
    });
    // A crash here leaves bytes that no file names; the same name uploaded again takes their place.
    if (unused) objects_.remove(objects::Key{file->key});
    clear_away(engine_, objects_, left, "its file was deleted");
    return true;
}

std::size_t Uploads::stripe_of(const objects::Key& key) const {
    return std::hash<std::string>{}(key.text()) % kStripes;
}

}  // namespace belay::ingest
