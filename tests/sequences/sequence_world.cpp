#include "sequences/sequence_world.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/engine/core.hpp"
#include "core/store/sqlite/open.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/inbox_worker.hpp"
#include "ingestion/ingest/object_rows.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/workflows/image_classification.hpp"

namespace belay::test {

namespace {

using namespace std::chrono_literals;

struct MachineDied {};

const std::vector<std::string> kNames{"a.jpg", "b.jpg", "c.jpg"};
const std::vector<std::string> kTypes{"image", "image", "receipt"};

// Two that are rows and one that is a file.
const std::vector<std::string>& contents() {
    static const std::vector<std::string> kContents{
        "\xFF\xD8\xFF\xE0 one", "\xFF\xD8\xFF\xE0 two",
        "\xFF\xD8\xFF\xE0" + std::string(objects::kInlineBytesMax + 100, 'x')};
    return kContents;
}

std::string shown(const std::string& bytes) { return base::sha256_hex(bytes).substr(0, 6); }

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    options.crash_loop_deaths_max = 0;  // the test kills more often than any machine
    return options;
}

class MoodyClassifier final : public ai::Classifier {
public:
    explicit MoodyClassifier(const bool& fails) : fails_(fails) {}
    ai::Classification classify(std::string_view image, int, std::stop_token) override {
        if (fails_) throw NonRetryable("the model is in no mood");
        return {"moody", {{shown(std::string(image)), 0.5, std::nullopt}}};
    }
    std::string model() const override { return "moody"; }

private:
    const bool& fails_;
};

// A receipt as far as files see it: the statuses that its run leaves on them.
void define_receipt(Engine& engine, const bool& fails) {
    const auto mark = [](Tx& tx, const std::string& run, const std::string& status) {
        tx.exec("UPDATE unified_files SET ai_status = ? WHERE workflow_run_id = ?", status, run);
    };
    WorkflowOptions options;
    options.on_start = [mark](Tx& tx, const RunInfo& run) { mark(tx, run.id, "processing"); };
    options.on_end = [mark](Tx& tx, const RunInfo& run) {
        mark(tx, run.id, run.status == RunStatus::Succeeded ? "completed" : "failed");
    };
    engine.define(
        "WF1_RECEIPT",
        [&fails](Context& ctx, ingest::FileInput) -> Task<std::string> {
            co_return co_await ctx.step("read", [&fails]() -> std::string {
                if (fails) throw NonRetryable("nobody can read this");
                return "read";
            });
        },
        std::move(options));
}

// The run may have ended, or begun, while it was asked for.
template <class Work>
bool if_still_possible(Work work) {
    try {
        work();
    } catch (const Error& error) {
        if (std::string_view(error.what()).find("cannot become") == std::string_view::npos) throw;
        return false;
    }
    return true;
}

bool is_over(std::string_view status) {
    return status == "succeeded" || status == "failed" || status == "canceled";
}

}  // namespace

struct SequenceWorld::Process {
    explicit Process(SequenceWorld& world)
        : executor(world.simulation_.make_executor()), classifier(world.model_fails_),
          engine(std::make_shared<engine::Core>(
              engine::Parts{store::sqlite::open(world.dir_.file("belay.db"), {}),
                            {world.simulation_.clock(), world.simulation_.random(), *executor},
                            quiet(),
                            {},
                            nullptr,
                            {}})),
          objects("/objects", world.files_, world.simulation_.clock()), rows(engine),
          uploads(engine, objects, {"IMAGE_CLASSIFICATION", "WF1_RECEIPT"}),
          inbox(engine, world.simulation_.clock(), world.simulation_.random()),
          worker(inbox, objects, {"IMAGE_CLASSIFICATION", "WF1_RECEIPT"}) {
        world.executor_ = executor.get();
        engine.migrate(ingest::kOwner, ingest::migrations());
        engine.migrate(ingest::kObjectRowsOwner, ingest::object_row_migrations());
        objects.use(rows);
        workflows::define_image_classification({engine, objects, classifier});
        define_receipt(engine, world.model_fails_);
        engine.start();
        inbox.release_claims();
    }

    std::unique_ptr<env::SimulatedExecutor> executor;
    MoodyClassifier classifier;
    Engine engine;
    objects::FilesystemStore objects;
    ingest::ObjectRows rows;
    ingest::Uploads uploads;
    ingest::Inbox inbox;
    ingest::InboxWorker worker;
};

SequenceWorld::SequenceWorld(std::uint64_t seed) : simulation_(seed), dice_(seed + 1) {
    files_.on_power_lost = [this] { kill(); };
    boot();
}

SequenceWorld::~SequenceWorld() {
    kill();
    executor_ = nullptr;
    process_.reset();
}

void SequenceWorld::boot() { process_ = std::make_unique<Process>(*this); }

void SequenceWorld::kill() {
    if (executor_ != nullptr) executor_->kill();
}

// Of the rows all that was committed is there (tests/disk takes the power from the database too); of the files what
// was synced.
void SequenceWorld::die_and_boot() {
    files_.cut_power();
    kill();
    executor_ = nullptr;
    process_.reset();
    files_.lose_power();
    boot();
    read_objects();
}

// Which bytes are there is not in question here, only what the rows say of them.
void SequenceWorld::read_objects() {
    model_.objects.clear();
    const objects::Page page = process_->objects.list("");
    for (const auto& listed : page.objects) {
        const auto object = process_->objects.head(listed.key);
        model_.objects[listed.key.text()] = {*process_->objects.get(listed.key, 1 << 20),
                                             object->metadata.at("workflow_type")};
    }
}

template <class Work>
void SequenceWorld::at_risk(const Model& after, Work work) {
    const bool dies = draw(8) == 0;
    if (dies) {
        files_.fail_call(static_cast<std::int64_t>(1 + draw(6)),
                         env::MemoryFiles::Fault::PowerLost);
    }
    try {
        work();
        if (files_.is_dead()) throw MachineDied{};
        model_ = after;
        if (!dies) return;
    } catch (const env::PowerLost&) {
    } catch (const MachineDied&) {
    } catch (const Error& error) {
        if (!files_.is_dead()) throw;
    }
    note("  … and the power goes");
    const Model before = model_;
    die_and_boot();
    const auto objects = model_.objects;
    // The files may be the same before and after it; then what is known of the keys tells.
    for (const bool by_keys : {true, false}) {
        for (const Model* maybe : {&before, &after}) {
            model_ = *maybe;
            model_.objects = objects;
            if (check_files().empty() && (!by_keys || knows_the_keys())) return;
        }
    }
}

bool SequenceWorld::knows_the_keys() {
    const SqlRows rows =
        process_->engine.query("SELECT object_key, event_at, deleted FROM object_heads");
    if (rows.size() != model_.heads.size()) return false;
    for (const SqlRow row : rows) {
        const auto known = model_.heads.find(row.get<std::string>(0));
        if (known == model_.heads.end() || known->second.at != row.get<Time>(1) ||
            known->second.deleted != row.get<bool>(2))
            return false;
    }
    return true;
}

bool SequenceWorld::upload() {
    const std::string name = one_of(kNames);
    const Stored what{one_of(contents()), one_of(kTypes)};
    const bool force = draw(8) == 0;
    const std::string key = model_.key_of_upload(name, what.bytes);
    note(fmt::format("upload {} {} as {}{}", name, shown(what.bytes), what.type,
                     force ? ", forced" : ""));
    Model after = model_;
    after.upload(key, what, simulation_.clock().now());
    at_risk(after, [&] {
        const auto writer = process_->objects.begin(1 << 20);
        writer->write(what.bytes);
        process_->uploads.finish(*writer, {"acme", name, "image/jpeg", what.type, force});
    });
    return true;
}

std::optional<std::pair<LiveFile, std::string>> SequenceWorld::some_file() {
    const SqlRows rows = process_->engine.query(
        "SELECT id, object_key, workflow_type, content_hash FROM unified_files WHERE deleted_at IS "
        "NULL ORDER BY seq");
    if (rows.empty()) return std::nullopt;
    const SqlRow row = rows[draw(rows.size())];
    const std::string hash = row.get<std::string>(3);
    const auto bytes = std::ranges::find_if(
        contents(), [&](const std::string& b) { return base::sha256_hex(b) == hash; });
    return std::pair{LiveFile{row.get<std::string>(1), row.get<std::string>(2), *bytes},
                     row.get<std::string>(0)};
}

bool SequenceWorld::remove() {
    const auto some = some_file();
    if (!some) return false;
    const auto& [file, id] = *some;
    note(fmt::format("delete {} as {}", std::get<0>(file), std::get<1>(file)));
    Model after = model_;
    after.remove(file, simulation_.clock().now());
    at_risk(after, [&, id = id] { process_->uploads.remove("acme", id); });
    return true;
}

bool SequenceWorld::read_as() {
    const auto some = some_file();
    if (!some) return false;
    const auto& [file, id] = *some;
    const std::string type = std::get<1>(file) == "image" ? "receipt" : "image";
    note(fmt::format("read {} as {}", std::get<0>(file), type));
    Model after = model_;
    after.read_as(file, type, simulation_.clock().now());
    at_risk(after, [&, id = id] {
        ingest::Leftovers left;
        process_->engine.transact([&](Tx& tx) {
            left = {};
            process_->uploads.read_as(tx, "acme", id, type, left);
        });
        ingest::clear_away(process_->engine, process_->objects, left, "it is read as " + type);
    });
    return true;
}

// Past the server, as clients of an object store do it.
bool SequenceWorld::put() {
    const std::string key = "acme/" + one_of(kNames);
    const Stored what{one_of(contents()), one_of(kTypes)};
    note(fmt::format("put {} {} as {}", key, shown(what.bytes), what.type));
    objects::Description description;
    description.content_type = "image/jpeg";
    description.metadata["workflow_type"] = what.type;
    const auto object = process_->objects.put(objects::Key{key}, what.bytes, description);
    model_.objects[key] = what;
    told_.push_back({ingest::NoticeKind::Created, key, what.bytes, object.etag, object.modified});
    return true;
}

bool SequenceWorld::delete_directly() {
    if (model_.objects.empty()) return false;
    auto which = model_.objects.begin();
    std::advance(which, static_cast<std::ptrdiff_t>(draw(model_.objects.size())));
    const std::string key = which->first;
    note("delete " + key + " in the object store");
    process_->objects.remove(objects::Key{key});
    model_.objects.erase(which);
    told_.push_back({ingest::NoticeKind::Deleted, key, "", "", simulation_.clock().now()});
    return true;
}

// In any order, again and again, with a death between claim and work.
bool SequenceWorld::deliver() {
    if (told_.empty()) return false;
    const Told what = one_of(told_);
    note(fmt::format("tell that {} was {} at {}", what.key,
                     what.kind == ingest::NoticeKind::Created ? "put" : "deleted",
                     what.at.time_since_epoch().count()));
    ingest::Notice notice;
    notice.kind = what.kind;
    notice.source = "s3";
    notice.action = what.kind == ingest::NoticeKind::Created ? "Put" : "Delete";
    notice.key = what.key;
    notice.at = what.at;
    notice.body = "{}";
    notice.etag = what.etag;
    std::vector<ingest::Notice> one;
    one.push_back(std::move(notice));
    const std::string id = process_->inbox.receive({"acme", true}, std::move(one)).front().id;
    if (draw(10) == 0) {
        note("  … and the process dies with it in its hand");
        process_->inbox.claim(1);
        die_and_boot();
    }
    Model after = model_;
    if (what.kind == ingest::NoticeKind::Created) {
        after.created(what.key, what.bytes, what.at);
    } else {
        after.deleted(what.key, what.at);
    }
    process_->worker.handle_due();
    model_ = after;
    const auto message = ingest::find_message(ingest::ask_engine(process_->engine), "", id);
    note(fmt::format("  {} {}", message->status, message->reason));
    const bool waits = message->status == "waiting";
    const bool is_missing = message->reason.find("there is no object") != std::string::npos;
    if ((waits && !is_missing) || message->status == "dead")
        throw std::runtime_error("the message failed: " + message->reason);
    if (waits) {
        process_->engine.transact([&](Tx& tx) {
            ingest::inbox_request(tx, to_json(ingest::InboxRequest{id, "drop"}));
        });
    }
    return true;
}

std::vector<std::string> SequenceWorld::runs_where(const std::string& condition) {
    std::vector<std::string> runs;
    for (const SqlRow row : process_->engine.query("SELECT public_id FROM workflow_runs WHERE " +
                                                   condition + " ORDER BY id"))
        runs.push_back(row.get<std::string>(0));
    return runs;
}

bool SequenceWorld::retry() {
    const auto runs = runs_where("status IN ('failed', 'canceled')");
    if (runs.empty()) return false;
    note("retry " + runs.front().substr(0, 14));
    return if_still_possible([&] { process_->engine.retry(one_of(runs)); });
}

bool SequenceWorld::cancel() {
    const auto runs = runs_where("status IN ('queued', 'running', 'waiting')");
    if (runs.empty()) return false;
    note("cancel " + runs.front().substr(0, 14));
    return if_still_possible([&] { process_->engine.cancel(one_of(runs), "somebody wanted it"); });
}

bool SequenceWorld::change_mood() {
    model_fails_ = !model_fails_;
    note(model_fails_ ? "the model fails from now on" : "the model works again");
    return true;
}

bool SequenceWorld::run_some() {
    for (auto left = draw(60); left > 0; --left) simulation_.run_one();
    return true;
}

bool SequenceWorld::crash() {
    note("the machine loses its power");
    die_and_boot();
    return true;
}

bool SequenceWorld::leave_bytes_without_rows() {
    const std::string name = one_of(kNames);
    const std::string& bytes = contents().back();
    note(fmt::format("upload {} {}, and the power goes before its rows are written", name,
                     shown(bytes)));
    const auto writer = process_->objects.begin(1 << 20);
    writer->write(bytes);
    process_->uploads.store({{writer.get(), {"acme", name, "image/jpeg", "image", false}}});
    die_and_boot();
    return true;
}

bool SequenceWorld::act() {
    simulation_.clock().advance(std::chrono::milliseconds(1 + draw(5)));
    struct Choice {
        std::uint64_t weight;
        bool (SequenceWorld::*act)();
    };
    static constexpr Choice kChoices[]{
        {8, &SequenceWorld::upload},          {6, &SequenceWorld::remove},
        {3, &SequenceWorld::read_as},         {3, &SequenceWorld::put},
        {2, &SequenceWorld::delete_directly}, {6, &SequenceWorld::deliver},
        {2, &SequenceWorld::retry},           {1, &SequenceWorld::cancel},
        {1, &SequenceWorld::change_mood},     {4, &SequenceWorld::run_some},
        {1, &SequenceWorld::crash},           {1, &SequenceWorld::leave_bytes_without_rows}};
    std::uint64_t all = 0;
    for (const Choice& choice : kChoices) all += choice.weight;
    std::uint64_t at = draw(all);
    for (const Choice& choice : kChoices) {
        if (at < choice.weight) return (this->*choice.act)();
        at -= choice.weight;
    }
    return false;
}

void SequenceWorld::settle() {
    for (int i = 0; i < 20'000; ++i) {
        if (i % 20 == 0 && runs_where("status NOT IN ('succeeded', 'failed', 'canceled')").empty())
            return;
        simulation_.run_one();
    }
    throw std::runtime_error("the runs do not end");
}

std::string SequenceWorld::check() {
    if (auto wrong = check_files(); !wrong.empty()) return wrong;
    if (auto wrong = check_uploads(); !wrong.empty()) return wrong;
    return check_lists();
}

// The rows are those of the model, each once, with bytes and a run.
std::string SequenceWorld::check_files() {
    std::set<LiveFile> there;
    std::string wrong;
    for (const SqlRow row : process_->engine.query(
             "SELECT f.object_key, f.workflow_type, f.content_hash, f.workflow_run_id, "
             "coalesce(r.status, '') FROM unified_files f LEFT JOIN workflow_runs r ON "
             "r.public_id = f.workflow_run_id WHERE f.deleted_at IS NULL")) {
        const std::string hash = row.get<std::string>(2);
        const auto bytes = std::ranges::find_if(
            contents(), [&](const std::string& b) { return base::sha256_hex(b) == hash; });
        const LiveFile file{row.get<std::string>(0), row.get<std::string>(1), *bytes};
        const auto name = fmt::format("{} as {}", std::get<0>(file), std::get<1>(file));
        if (!there.insert(file).second) wrong += name + " is there twice\n";
        if (!model_.live.contains(file)) wrong += name + " is there and should not be\n";
        if (row.get<std::string>(4).empty()) wrong += name + " has no run\n";
    }
    for (const LiveFile& file : model_.live) {
        if (!there.contains(file))
            wrong += fmt::format("{} as {} is not there\n", std::get<0>(file), std::get<1>(file));
    }
    for (const auto& [key, what] : model_.objects) {
        if (process_->objects.get(objects::Key{key}, 1 << 20) != what.bytes)
            wrong += "the bytes of " + key + " are not those that were put\n";
    }
    return wrong;
}

// What a list says of a file is what its run says.
std::string SequenceWorld::status_wrong(const std::string& run, const std::string& status,
                                        bool has_error, bool has_end) {
    const SqlRows rows = process_->engine.query(
        "SELECT status, attempts FROM workflow_runs WHERE public_id = ?", run);
    const std::string of_run = rows[0].get<std::string>(0);
    const bool first = rows[0].get<int>(1) == 1;
    const bool ended = status == "classified" || status == "completed" ||
                       status == "classification_failed" || status == "failed";
    const auto told = [&](std::string_view why) {
        return fmt::format("run {} is {} and its file is {}: {}\n", run, of_run, status, why);
    };
    if (is_over(of_run)) {
        const bool good = status == "classified" || status == "completed";
        if (good != (of_run == "succeeded") || !ended) return told("they disagree");
        if (has_error == good || !has_end) return told("its error or its end is wrong");
        return {};
    }
    if (of_run == "queued") {
        if (first && status != "ingested") return told("it has not begun");
        return {};
    }
    if (status == "classification_failed" || status == "failed" || status == "ingested")
        return told("it is under way");
    if (has_error) return told("it has an error while it is under way");
    if (status == "workflow_running" && has_end) return told("it has an end while it is under way");
    return {};
}

// Every live picture has one Upload under its own name, and there is no other.
std::string SequenceWorld::check_uploads() {
    std::string wrong;
    for (const SqlRow row : process_->engine.query(
             "SELECT f.object_key, f.workflow_run_id, count(u.upload_event_id), "
             "max(u.workflow_id), max(u.name), max(f.original_filename) FROM unified_files f LEFT "
             "JOIN Upload u ON u.r2_key = f.object_key AND u.r2_etag = f.object_etag WHERE "
             "f.deleted_at IS NULL AND f.workflow_type = 'image' GROUP BY f.id")) {
        const std::string key = row.get<std::string>(0);
        if (row.get<int>(2) != 1) {
            wrong += fmt::format("{} has {} Upload rows\n", key, row.get<int>(2));
        } else if (row.get<std::string>(1) != row.get<std::string>(3)) {
            wrong += key + " and its Upload have different runs\n";
        } else if (row.get<std::string>(4) != row.get<std::string>(5)) {
            wrong += key + " and its Upload have different names\n";
        }
    }
    for (const SqlRow row : process_->engine.query(
             "SELECT r2_key FROM Upload u WHERE NOT EXISTS (SELECT 1 FROM unified_files f WHERE "
             "f.deleted_at IS NULL AND f.workflow_type = 'image' AND f.object_key = u.r2_key AND "
             "f.object_etag = u.r2_etag)"))
        wrong += row.get<std::string>(0) + " has an Upload and no file\n";
    for (const SqlRow row : process_->engine.query(
             "SELECT workflow_id, status, classification_error IS NOT NULL, completed_at IS NOT "
             "NULL FROM Upload"))
        wrong += status_wrong(row.get<std::string>(0), row.get<std::string>(1), row.get<bool>(2),
                              row.get<bool>(3));
    return wrong;
}

std::string SequenceWorld::check_lists() {
    std::string wrong;
    const auto page = ingest::list_uploads(process_->engine, "acme", {}, 500);
    if (page.uploads.size() != model_.live.size())
        wrong +=
            fmt::format("{} uploads are listed, of {}\n", page.uploads.size(), model_.live.size());
    std::set<std::string> events;
    for (const auto& row : page.uploads) {
        const bool failed =
            row.file.status == "failed" || row.file.status == "classification_failed";
        const bool is_image = row.file.workflow_type == "image";
        const bool has_end = is_image ? row.completed_at.has_value() : true;
        const bool has_error = is_image ? row.error.has_value() : failed;
        wrong += status_wrong(row.file.workflow_run_id, row.file.status, has_error, has_end);
        if (row.file.status == "classified" && !row.top_label)
            wrong += row.file.key + " is classified and has no label\n";
        if (is_image && !events.insert(row.upload_event_id).second)
            wrong += row.file.key + " has the event id of another\n";
    }
    return wrong;
}

}  // namespace belay::test
