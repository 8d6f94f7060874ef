#include "ingestion/ingest/ingest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "ingestion/ingest/copies.hpp"
#include "ingestion/ingest/ids.hpp"
#include "ingestion/ingest/removal.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {

namespace {

constexpr std::string_view kImageKey = "IMAGE_CLASSIFICATION";

struct Head {
    std::string etag;
    Time at;
    int generation = 1;
    bool deleted = false;
    std::string sequencer{};
};

std::optional<Head> head_of(Tx& tx, const std::string& key) {
    const SqlRows rows = tx.query(
        "SELECT etag, event_at, generation, deleted, sequencer FROM object_heads "
        "WHERE object_key = ?",
        key);
    if (rows.empty()) return std::nullopt;
    return Head{rows[0].get<std::string>(0), rows[0].get<Time>(1), rows[0].get<int>(2),
                rows[0].get<bool>(3), rows[0].get<std::string>(4)};
}

// Both numbers are S3's, or the times decide.
bool is_before(Time at, const std::string& sequencer, const Head& head) {
    if (!sequencer.empty() && !head.sequencer.empty())
        return sequencer_before(sequencer, head.sequencer);
    return at < head.at;
}
bool is_after(Time at, const std::string& sequencer, const Head& head) {
    if (!sequencer.empty() && !head.sequencer.empty())
        return sequencer_before(head.sequencer, sequencer);
    return at > head.at;
}

// Those who watch hear of a copy's result as they would of a run's; nothing while it is not over.
void tell_upload(Tx& tx, const std::string& event_id) {
    const SqlRows rows = tx.query(
        "SELECT name, organization_id, workflow_id, status, classification_top_label, "
        "classification_top_score, classification_model, classification_error FROM Upload WHERE "
        "upload_event_id = ?",
        event_id);
    if (rows.empty()) return;
    const SqlRow row = rows[0];
    const auto status = row.get<std::string>(3);
    boost::json::object data{{"name", row.get<std::string>(0)},
                             {"upload_event_id", event_id},
                             {"idempotencyKey", event_id},
                             {"workflow_run_id", row.get<std::string>(2)}};
    if (status == "classified") {
        data["label"] = row.get<std::optional<std::string>>(4).value_or("");
        data["score"] = row.get<std::optional<double>>(5).value_or(0);
        data["model"] = row.get<std::optional<std::string>>(6).value_or("");
    } else if (status == "classification_failed") {
        data["error"] = row.get<std::optional<std::string>>(7).value_or("");
    } else {
        return;
    }
    tx.publish(status == "classified" ? "classification_updated" : "classification_error",
               boost::json::value(std::move(data)), {row.get<std::string>(1)});
}

// One event inside its transaction.
class Door {
public:
    Door(Tx& tx, const ObjectEvent& event, const WorkflowType& type)
        : tx_(tx), event_(event), type_(type), object_(event.object),
          name_(event.name.empty() ? std::string(object_.key.name()) : event.name),
          at_(event.at.value_or(tx.now())) {}

    IngestOutcome pass() {
        if (auto other = of_another()) return *std::move(other);
        const auto head = head_of(tx_, object_.key.text());
        if (event_.is_known) {
            if (head) generation_ = head->generation;
        } else if (head) {
            if (auto stale = out_of_date(*head)) return *std::move(stale);
            generation_ = head->generation + (head->deleted || event_.force ? 1 : 0);
        }
        const auto known = event_.force ? std::nullopt : known_file();
        if (!known) {
            if (auto stale = removed_since(head)) return *std::move(stale);
            choose_ids();
        }
        if (!event_.is_known) keep_head();
        if (known) return *known;
        const auto old_file = event_.force ? supersede() : std::nullopt;
        if (auto run = event_.force ? std::nullopt : run_of_same_content()) return join(*run);
        Ingested begun = begin_run();
        if (old_file) hand_over(tx_, *old_file, file_id_, begun.left);
        return begun;
    }

private:
    std::optional<OutOfDate> out_of_date(const Head& head) const {
        if (!event_.at) return std::nullopt;  // it happens now
        if (head.deleted && !is_after(at_, event_.sequencer, head))
            return OutOfDate{fmt::format("{} was deleted at {}, after this event",
                                         object_.key.text(), base::format_time(head.at))};
        const std::string& told = event_.told_etag.empty() ? object_.etag : event_.told_etag;
        if (!head.deleted && is_before(at_, event_.sequencer, head) && head.etag != told)
            return OutOfDate{fmt::format("{} was replaced at {}, after this event",
                                         object_.key.text(), base::format_time(head.at))};
        return std::nullopt;
    }

    // Its metadata may be written anew: the files that there are stay whose they are.
    std::optional<OutOfDate> of_another() {
        const auto other = tx_.value<int>(
            "SELECT 1 FROM unified_files WHERE object_key = ? AND organization_id <> ? AND "
            "deleted_at IS NULL LIMIT 1",
            object_.key.text(), organization());
        if (!other) return std::nullopt;
        return OutOfDate{fmt::format("{} is known as another organization's", object_.key.text())};
    }

    // Somebody deleted this file and others of its key stayed: its late "created" does not bring it back.
    std::optional<OutOfDate> removed_since(const std::optional<Head>& head) {
        if (!event_.at || !head || head->deleted) return std::nullopt;
        const auto removed = tx_.value<Time>(
            "SELECT deleted_at FROM unified_files WHERE object_key = ? AND object_etag = ? AND "
            "ingest_workflow_key = ? AND file_type <> 'pdf_page' AND deleted_at >= ? LIMIT 1",
            object_.key.text(), object_.etag, type_.workflow_key, at_);
        if (!removed) return std::nullopt;
        return OutOfDate{fmt::format("{} was deleted at {}, after this event", object_.key.text(),
                                     base::format_time(*removed))};
    }

    // Rows that were removed keep their ids, and their runs: the file that comes again takes the next generation that
    // nobody has had.
    void choose_ids() {
        for (;; ++generation_) {
            event_id_ = upload_event_id(object_.key.text(), object_.etag, generation_);
            file_id_ = file_id(type_, event_id_);
            if (tx_.query("SELECT 1 FROM unified_files WHERE id = ?", file_id_).empty()) return;
        }
    }

    // Never goes back in time: an event that is told again keeps what a newer one has left.
    void keep_head() {
        // What happens now is newer than any event so far, and has no number to compare with theirs.
        const std::string_view sequencer =
            event_.at ? "CASE WHEN excluded.sequencer = '' THEN object_heads.sequencer ELSE "
                        "excluded.sequencer END"
                      : "''";
        tx_.exec(
            fmt::format(
                "INSERT INTO object_heads (object_key, etag, event_at, generation, deleted, "
                "sequencer) VALUES (?, ?, ?, ?, 0, ?) ON CONFLICT (object_key) DO UPDATE SET etag "
                "= excluded.etag, event_at = CASE WHEN excluded.event_at > object_heads.event_at "
                "THEN excluded.event_at ELSE object_heads.event_at END, generation = "
                "excluded.generation, deleted = 0, sequencer = {}",
                sequencer),
            object_.key.text(), object_.etag, at_, generation_, event_.sequencer);
    }

    // The same object, told again. By what it is and not by its id: other types of the same object may have had more
    // generations.
    std::optional<Ingested> known_file() {
        const SqlRows rows = tx_.query(
            "SELECT id, workflow_run_id FROM unified_files WHERE object_key = ? AND object_etag = "
            "? AND ingest_workflow_key = ? AND file_type <> 'pdf_page' AND deleted_at IS NULL",
            object_.key.text(), object_.etag, type_.workflow_key);
        if (rows.empty()) return std::nullopt;
        file_id_ = rows[0].get<std::string>(0);
        return told(rows[0].get<std::string>(1), status(), true);
    }

    // Other objects with the same bytes share their run; a page of a PDF is never one of them, because blank pages
    // are alike.
    std::optional<std::string> run_of_same_content() {
        if (object_.sha256.empty()) return std::nullopt;
        return tx_.value<std::string>(
            "SELECT workflow_run_id FROM unified_files WHERE organization_id = ? AND "
            "ingest_workflow_key = ? AND content_hash = ? AND deleted_at IS NULL AND "
            "file_type <> 'pdf_page' ORDER BY seq DESC LIMIT 1",
            organization(), type_.workflow_key, object_.sha256);
    }

    // A forced run takes the place of the one before it: the specification has one Upload for each version.
    std::optional<std::string> supersede() {
        const auto old_file = tx_.value<std::string>(
            "SELECT id FROM unified_files WHERE object_key = ? AND object_etag = ? AND "
            "ingest_workflow_key = ? AND deleted_at IS NULL AND file_type <> 'pdf_page' LIMIT 1",
            object_.key.text(), object_.etag, type_.workflow_key);
        tx_.exec(
            "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE object_key = ? AND "
            "object_etag = ? AND ingest_workflow_key = ? AND deleted_at IS NULL",
            tx_.now(), tx_.now(), object_.key.text(), object_.etag, type_.workflow_key);
        if (is_image()) {
            tx_.exec("DELETE FROM Upload WHERE r2_key = ? AND r2_etag = ?", object_.key.text(),
                     object_.etag);
        }
        return old_file;
    }

    // A file of its own on the run there is, which may be over: it shows at once what that has found, or why it failed.
    Ingested join(const std::string& run) {
        insert_file(run);
        inherit_found(tx_, file_id_);
        if (is_image()) {
            insert_upload(run);
            tx_.exec(
                "UPDATE Upload SET (status, classification_model, classification_top_label, "
                "classification_top_score, classification_json, classification_error, "
                "completed_at) = (SELECT status, classification_model, classification_top_label, "
                "classification_top_score, classification_json, classification_error, "
                "completed_at FROM Upload WHERE workflow_id = ? AND upload_event_id <> ? LIMIT 1) "
                "WHERE upload_event_id = ?",
                run, event_id_, event_id_);
        }
        announce(run);
        tell_upload(tx_, event_id_);
        return told(run, status(), true);
    }

    Ingested begin_run() {
        const std::string id = run_id(type_, event_id_);
        insert_file(id);
        if (is_image()) insert_upload(id);
        SubmitOptions options;
        options.id = id;
        options.organization_id = organization();
        options.source_channel = event_.source_channel;
        options.file_id = file_id_;
        options.content_hash = object_.sha256;
        options.labels = event_.labels;
        tx_.submit(type_.workflow_key, FileInput{file_id_}, options);
        announce(id);
        return told(id, "ingested", false);
    }

    void announce(const std::string& run) {
        tx_.publish("upload_ingested",
                    boost::json::value{{"file_id", file_id_},
                                       {"name", name_},
                                       {"workflow_run_id", run},
                                       {"workflow_key", std::string(type_.workflow_key)}},
                    {organization()});
    }

    void insert_file(const std::string& run) {
        const auto dot = name_.rfind('.');
        const std::string suffix = dot == std::string::npos ? "" : name_.substr(dot);
        const auto hash =
            object_.sha256.empty() ? std::nullopt : std::optional<std::string>(object_.sha256);
        tx_.exec(
            "INSERT INTO unified_files (id, organization_id, file_type, original_filename, "
            "original_file_id, original_file_size, mime_type, file_suffix, content_hash, "
            "object_key, object_etag, workflow_type, ingest_workflow_key, ingest_source_channel, "
            "workflow_run_id, created_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            file_id_, organization(), file_type(), name_, file_id_, object_.size,
            object_.content_type, suffix, hash, object_.key.text(), object_.etag, type_.type,
            type_.workflow_key, event_.source_channel, run, tx_.now(), tx_.now());
    }

    void insert_upload(const std::string& run) {
        tx_.exec(
            "INSERT INTO Upload (upload_event_id, organization_id, name, r2_key, r2_etag, r2_size, "
            "content_type, workflow_id, status, created_at, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'ingested', ?, ?)",
            event_id_, organization(), name_, object_.key.text(), object_.etag, object_.size,
            object_.content_type, run, tx_.now(), tx_.now());
    }

    std::string status() {
        const auto of_upload =
            is_image() ? tx_.value<std::string>(
                             "SELECT status FROM Upload WHERE r2_key = ? AND r2_etag = ?",
                             object_.key.text(), object_.etag)
                       : std::nullopt;
        if (of_upload) return *of_upload;
        return tx_.value<std::string>("SELECT ai_status FROM unified_files WHERE id = ?", file_id_)
            .value_or("ingested");
    }

    Ingested told(const std::string& run, std::string status, bool duplicate) const {
        return Ingested{file_id_,
                        name_,
                        object_.key.text(),
                        object_.etag,
                        static_cast<std::int64_t>(object_.size),
                        object_.content_type,
                        run,
                        std::string(type_.workflow_key),
                        std::move(status),
                        duplicate};
    }

    std::string organization() const {
        return event_.organization_id.empty() ? std::string(object_.key.organization())
                                              : event_.organization_id;
    }
    bool is_image() const { return type_.workflow_key == kImageKey; }
    std::string_view file_type() const {
        if (object_.content_type == "application/pdf") return "pdf";
        return object_.content_type == "application/xml" ? "xml" : "image";
    }

    Tx& tx_;
    const ObjectEvent& event_;
    const WorkflowType& type_;
    const objects::Object& object_;
    const std::string name_;
    const Time at_;
    int generation_ = 1;
    std::string event_id_{};
    std::string file_id_{};
};

}  // namespace

IngestOutcome ingest_object(Tx& tx, const ObjectEvent& event) {
    const WorkflowType& type = workflow_type_for(event.workflow_type, event.object.content_type);
    return Door(tx, event, type).pass();
}

IngestOutcome ingest_object(Engine& engine, const ObjectEvent& event) {
    workflow_type_for(event.workflow_type,
                      event.object.content_type);  // refused before the writer hears of it
    return engine.transact([&](Tx& tx) { return ingest_object(tx, event); });
}

std::variant<Removed, OutOfDate> forget_object(Tx& tx, const ObjectGone& gone) {
    const std::string& key = gone.key.text();
    if (!gone.only_of.empty()) {
        const SqlRows owners = tx.query(
            "SELECT DISTINCT organization_id FROM unified_files WHERE object_key = ? AND "
            "deleted_at IS NULL",
            key);
        if (owners.size() != 1 || owners[0].get<std::string>(0) != gone.only_of)
            return OutOfDate{fmt::format("no file of it is {}'s", gone.only_of)};
    }
    const auto head = head_of(tx, key);
    if (head && is_before(gone.at, gone.sequencer, *head)) {
        return OutOfDate{fmt::format("{} was {} at {}, after this event", key,
                                     head->deleted ? "deleted" : "put",
                                     base::format_time(head->at))};
    }
    tx.exec(
        "INSERT INTO object_heads (object_key, etag, event_at, generation, deleted, sequencer) "
        "VALUES (?, '', ?, 1, 1, ?) ON CONFLICT (object_key) DO UPDATE SET deleted = 1, "
        "event_at = excluded.event_at, sequencer = CASE WHEN excluded.sequencer = '' "
        "THEN object_heads.sequencer ELSE excluded.sequencer END",
        key, gone.at, gone.sequencer);
    const SqlRows files = tx.query(
        "SELECT id, organization_id FROM unified_files WHERE object_key = ? AND deleted_at IS NULL",
        key);
    // With the time at which it was deleted, not the one at which we heard of it: what was put in between stays.
    const auto removed = tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE object_key = ? AND "
        "deleted_at IS NULL",
        std::min(gone.at, tx.now()), tx.now(), key);
    tx.exec("DELETE FROM Upload WHERE r2_key = ?", key);
    if (removed > 0)
        tx.publish("upload_deleted",
                   boost::json::value{{"name", std::string(gone.key.name())}, {"key", key}},
                   {files[0].get<std::string>(1)});
    Removed gone_with_it{removed};
    for (const SqlRow file : files) take_out(tx, file.get<std::string>(0), gone_with_it.left);
    return gone_with_it;
}

bool sequencer_before(std::string_view a, std::string_view b) {
    const std::size_t length = std::max(a.size(), b.size());
    const auto digit = [](std::string_view text, std::size_t at) {
        const char c = at < text.size() ? text[at] : '0';
        return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    };
    for (std::size_t i = 0; i < length; ++i) {
        if (digit(a, i) != digit(b, i)) return digit(a, i) < digit(b, i);
    }
    return false;
}

}  // namespace belay::ingest
