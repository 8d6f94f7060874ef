#include "ingestion/ingest/uploads.hpp"
#include "ingestion/ingest/object_rows.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

namespace {

// Enough of a hash that two contents never share a folder.
constexpr std::size_t kHashCharsInKey = 32;

// Gives whether no file needs the bytes any more.
bool remove_rows(Tx& tx, const FileRow& file) {
    const auto changed = tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS "
        "NULL",
        tx.now(), tx.now(), file.id);
    if (changed == 0) return false;
    tx.publish("upload_deleted",
               boost::json::value{{"name", file.name}, {"key", file.key}, {"file_id", file.id}},
               {file.organization_id});
    tx.exec(  // its pages, which have no bytes of their own
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE original_file_id = ? AND "
        "file_type = 'pdf_page' AND deleted_at IS NULL",
        tx.now(), tx.now(), file.id);
    const auto live = [&](std::string_view column, const std::string& value) {
        return tx
            .value<int>(fmt::format("SELECT count(*) FROM unified_files WHERE {} = ? AND "
                                    "deleted_at IS NULL",
                                    column),
                        value)
            .value_or(0);
    };
    if (live("workflow_run_id", file.workflow_run_id) == 0)
        tx.exec("DELETE FROM Upload WHERE workflow_id = ?", file.workflow_run_id);
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
    const WorkflowType& type = workflow_type_for(facts.workflow_type, facts.content_type);
    if (std::ranges::find(workflow_keys_, type.workflow_key) == workflow_keys_.end()) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("workflow_type `{}` is {}, which this server does not run; it runs {}",
                        type.type, type.workflow_key, fmt::join(workflow_keys_, ", ")));
    }
}

Ingested Uploads::finish(objects::Writer& writer, const UploadFacts& facts) {
    check(facts, writer);
    const objects::Key plain{facts.organization_id, facts.name};
    const std::string sha256 = writer.sha256();

    const std::lock_guard lock(stripe_of(plain));
    const auto there = objects_.head(plain);
    const bool taken = there && there->sha256 != sha256;
    const objects::Key key =
        taken ? objects::Key{facts.organization_id,
                             fmt::format("{}/{}", sha256.substr(0, kHashCharsInKey), facts.name)}
              : plain;
    objects::Description description;
    description.content_type = facts.content_type;
    description.metadata["workflow_type"] =
        workflow_type_for(facts.workflow_type, facts.content_type).type;
    // For whoever learns of the object only by a notification: its key does not say how people call it.
    if (taken) description.metadata["file_name"] = facts.name;
    auto small = writer.take_small(key, description);
    ObjectEvent event{small ? small->object : writer.finish(key, description)};
    base::failpoint("upload.stored");
    event.name = facts.name;
    event.workflow_type = facts.workflow_type;
    event.source_channel = "upload";
    event.force = facts.force;
    // Small bytes are in the commit of the rows that name them; larger ones are durable before it.
    IngestOutcome outcome = small ? engine_.transact([&](Tx& tx) {
        put_object_row(tx, *small);
        return ingest_object(tx, event);
    })
                                  : ingest_object(engine_, event);
    base::failpoint("upload.after");
    if (const auto* old = std::get_if<OutOfDate>(&outcome))
        throw Error(ErrorCode::Overloaded, old->reason + "; send it again");
    return std::get<Ingested>(std::move(outcome));
}

bool Uploads::remove(const std::string& organization_id, const std::string& file_id) {
    const auto file = find_file(engine_, organization_id, file_id);
    if (!file) return false;
    const std::lock_guard lock(stripe_of(objects::Key{organization_id, file->name}));
    const bool unused = engine_.transact([&](Tx& tx) { return remove_rows(tx, *file); });
    // A crash here leaves bytes that no file names; the same name uploaded again takes their place.
    if (unused) objects_.remove(objects::Key{file->key});
    return true;
}

std::mutex& Uploads::stripe_of(const objects::Key& key) {
    return stripes_[std::hash<std::string>{}(key.text()) % kStripes];
}

}  // namespace belay::ingest
