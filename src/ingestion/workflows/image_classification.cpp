#include "ingestion/workflows/image_classification.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/async.hpp>
#include <belay/belay.hpp>

#include "core/base/hash.hpp"
#include "ingestion/ai/spending.hpp"
#include "ingestion/isolate/in_turn.hpp"

namespace belay::workflows {

namespace {

using namespace std::chrono_literals;

// A picture of 100 million pixels, the most that is decoded, is below this in every format that is taken.
constexpr std::uint64_t kImageBytesMax = 256u << 20;
constexpr int kTop = 5;

struct FileInput {
    std::string file_id{};
};
BOOST_DESCRIBE_STRUCT(FileInput, (), (file_id))

// What load-image records: where the bytes are, not the bytes.
struct LoadedImage {
    std::string name{};
    std::string key{};
    std::string etag{};
    std::uint64_t size = 0;
    std::string content_type{};
};
BOOST_DESCRIBE_STRUCT(LoadedImage, (), (name, key, etag, size, content_type))

NonRetryable no_object(const std::string& name) {
    return NonRetryable(fmt::format("{} is not stored any more: it was deleted", name));
}

std::string read_bytes(const ImageServices& services, const std::string& key,
                       const std::string& name) {
    auto bytes = services.object_store.get(objects::Key{key}, kImageBytesMax);
    if (!bytes) throw no_object(name);
    return *std::move(bytes);
}

NonRetryable no_file(const std::string& file_id) {
    return NonRetryable(fmt::format("there is no file {}: it was deleted", file_id));
}

// What a record says may have been written by anybody (forks): a key that is not of the run's organization is one that
// there is not. If the file was deleted meanwhile, a copy of it has the same bytes.
std::string read_own(const ImageServices& services, const std::string& run_id,
                     const std::string& organization, const LoadedImage& image) {
    const SqlRows rows = services.engine.query(
        "SELECT object_key FROM unified_files WHERE organization_id = ? AND (object_key = ? OR "
        "workflow_run_id = ?) AND deleted_at IS NULL ORDER BY object_key <> ?, seq LIMIT 1",
        organization, image.key, run_id, image.key);
    if (rows.empty()) throw no_object(image.name);
    return read_bytes(services, rows[0].get<std::string>(0), image.name);
}

void admit_image(Engine& engine, std::string_view organization, const FileInput& input) {
    const SqlRows rows = engine.query(
        "SELECT 1 FROM unified_files WHERE id = ? AND organization_id = ? AND deleted_at IS NULL",
        input.file_id, std::string(organization));
    if (rows.empty()) throw no_file(input.file_id);
}

// The file, or another one with the same content if it was deleted meanwhile: they share this run.
LoadedImage load_image(Attempt& attempt, const ImageServices* services,
                       const std::string& organization, const FileInput& input) {
    const SqlRows rows = services->engine.query(
        "SELECT original_filename, object_key, object_etag, original_file_size, "
        "mime_type, coalesce(content_hash, '') FROM unified_files WHERE organization_id = ? AND "
        "(id = ? OR workflow_run_id = ?) AND deleted_at IS NULL ORDER BY id <> ? LIMIT 1",
        organization, input.file_id, attempt.run_id(), input.file_id);
    if (rows.empty()) throw no_file(input.file_id);
    const LoadedImage image{rows[0].get<std::string>(0), rows[0].get<std::string>(1),
                            rows[0].get<std::string>(2), rows[0].get<std::uint64_t>(3),
                            rows[0].get<std::string>(4)};
    const std::string hash = rows[0].get<std::string>(5);
    const std::string bytes = read_bytes(*services, image.key, image.name);
    if (bytes.size() != image.size || (!hash.empty() && base::sha256_hex(bytes) != hash)) {
        throw NonRetryable(
            fmt::format("the bytes stored as {} are not those that were uploaded", image.key));
    }
    return image;
}

ai::Classification classify_image(Attempt& attempt, const ImageServices* services,
                                  const std::string& organization, const LoadedImage& image) {
    const std::string bytes = read_own(*services, attempt.run_id(), organization, image);
    const auto pay = [&](const Cost& spent) { attempt.cost(Cost{spent}.count("classifications")); };
    auto found = ai::Spending::of(
        [&] {
            return ai::validated(services->classifier.classify(bytes, kTop, attempt.stop_token()),
                                 kTop);
        },
        pay);
    if (const Cost spent = ai::Spending::take(); !spent.empty()) pay(spent);
    return found;
}

// A place is kept for short jobs: whoever has long ones waiting, a picture is looked at in seconds.
boost::asio::awaitable<ai::Classification> classify_in_turn(Attempt& attempt,
                                                            const ImageServices* services,
                                                            const std::string& organization,
                                                            const LoadedImage& image) {
    return isolate::in_turn(*services->turns,
                            isolate::asker_of(attempt, organization, isolate::JobKind::Short),
                            attempt.stop_token(), [&attempt, services, organization, image] {
                                return classify_image(attempt, services, organization, image);
                            });
}

// Those who watch are told in the specification's words, once for each upload that shares the run; nothing if all were
// deleted meanwhile.
void tell(Tx& tx, const std::string& run_id, std::string_view type,
          const boost::json::object& more) {
    for (const SqlRow row : tx.query("SELECT name, upload_event_id, organization_id FROM Upload "
                                     "WHERE workflow_id = ? ORDER BY created_at, upload_event_id",
                                     run_id)) {
        boost::json::object data{{"name", row.get<std::string>(0)},
                                 {"upload_event_id", row.get<std::string>(1)},
                                 {"idempotencyKey", row.get<std::string>(1)},
                                 {"workflow_run_id", run_id}};
        for (const auto& field : more) data[field.key()] = field.value();
        tx.publish(type, boost::json::value(std::move(data)), {row.get<std::string>(2)});
    }
}

// What the specification calls progress: {status, step, message}, once each, in the commit of what it tells of.
void tell_progress(Tx& tx, const std::string& run_id, std::string_view status,
                   std::string_view step, std::string_view message) {
    tell(tx, run_id, "workflow_progress",
         {{"workflowId", run_id},
          {"progress", {{"status", status}, {"step", step}, {"message", message}}}});
}

void tell_loaded(Tx& tx, const LoadedImage& image) {
    tell_progress(tx, tx.run_id(), "running", "classify-image",
                  fmt::format("{} is read; its picture is being classified", image.name));
}

void tell_classified(Tx& tx, const ai::Classification& found) {
    tell_progress(tx, tx.run_id(), "running", "persist-classification",
                  fmt::format("{} gave {} labels", found.model, found.labels.size()));
}

// A label as the specification has it, for providers that do not say which class of the model it is.
struct PlainLabel {
    std::string label{};
    double score = 0;
};
BOOST_DESCRIBE_STRUCT(PlainLabel, (), (label, score))

std::string labels_json(const std::vector<ai::Label>& labels) {
    if (std::ranges::all_of(labels, [](const ai::Label& one) { return one.index.has_value(); }))
        return to_json(labels);
    std::vector<PlainLabel> plain;
    for (const ai::Label& one : labels) plain.push_back({one.label, one.score});
    return to_json(plain);
}

bool persist_classification(Tx& tx, const ai::Classification& found) {
    const ai::Label& best = found.labels.front();
    const auto changed = tx.exec(
        "UPDATE Upload SET status = 'classified', classification_model = ?, "
        "classification_top_label = ?, classification_top_score = ?, classification_json = ?, "
        "classification_error = NULL, updated_at = ?, completed_at = ? WHERE workflow_id = ?",
        found.model, best.label, best.score, labels_json(found.labels), tx.now(), tx.now(),
        tx.run_id());
    tell(tx, tx.run_id(), "classification_updated",
         {{"label", best.label}, {"score", best.score}, {"model", found.model}});
    tell_progress(tx, tx.run_id(), "classified", "persist-classification",
                  fmt::format("{} ({:.0f} %)", best.label, best.score * 100));
    // The upload may have been deleted while its picture was looked at; the run has its result all the same.
    return changed > 0;
}

void mark_running(Tx& tx, const RunInfo& run) {
    tx.exec(
        "UPDATE Upload SET status = 'workflow_running', classification_error = NULL, "
        "completed_at = NULL, updated_at = ? WHERE workflow_id = ?",
        tx.now(), run.id);
    tell(tx, run.id, "classification_workflow_started", {});
    tell_progress(tx, run.id, "running", "load-image", "its bytes are being read");
}

// A run that was canceled when its result was recorded already and then retried says so once more: the step that said it
// does not run again.
void mark_classified(Tx& tx, const RunInfo& run) {
    const auto result = from_json<ImageResult>(run.result);
    if (result.labels.empty()) return;
    const ai::Label& best = result.labels.front();
    const auto changed = tx.exec(
        "UPDATE Upload SET status = 'classified', classification_top_label = ?, "
        "classification_top_score = ?, classification_json = ?, classification_error = NULL, "
        "updated_at = ?, completed_at = ? WHERE workflow_id = ? AND status <> 'classified'",
        best.label, best.score, labels_json(result.labels), tx.now(), tx.now(), run.id);
    if (changed == 0) return;
    tell(tx, run.id, "classification_updated", {{"label", best.label}, {"score", best.score}});
}

// However it failed: a stage, a cancel, a deadline, a hook.
void mark_ended(Tx& tx, const RunInfo& run) {
    if (run.status == RunStatus::Succeeded) return mark_classified(tx, run);
    std::string reason = run.error;
    if (reason.empty()) reason = fmt::format("the run is {}", to_string(run.status));
    tx.exec(
        "UPDATE Upload SET status = 'classification_failed', classification_error = ?, "
        "updated_at = ?, completed_at = ? WHERE workflow_id = ?",
        reason, tx.now(), tx.now(), run.id);
    tell(tx, run.id, "classification_error", {{"error", reason}});
    tell_progress(tx, run.id, "failed", run.error_stage, reason);
}

// Another attempt may find a helper that was killed for want of memory well again.
// Waiting for a turn is no failure, and what is done in it has limits of its own.
constexpr StepOptions kInTurn{.retry = {.attempts_max = 3, .first_delay = 1s, .longest_delay = 30s},
                              .timeout = Duration{0}};

}  // namespace

void define_image_classification(ImageServices services) {
    WorkflowOptions options;
    options.summary = "What a picture shows: the labels of a model, best first";
    options.admit = [&engine = services.engine](std::string_view organization,
                                                const FileInput& input) {
        admit_image(engine, organization, input);
    };
    options.on_start = mark_running;
    options.on_end = mark_ended;
    services.engine.define(
        std::string(kImageClassification),
        [services](Context& ctx, FileInput input) -> Task<ImageResult> {
            const ImageServices* with = &services;  // the closure lives as long as its engine
            ctx.progress(0, 3, "load-image");
            const std::string organization = ctx.organization_id();
            const auto image =
                co_await ctx.step("load-image", load_image, with, organization, input)
                    .commit(tell_loaded);
            ctx.progress(1, 3, "classify-image");
            ai::Classification found;
            if (with->turns != nullptr) {
                found = co_await ctx
                            .step("classify-image", kInTurn, classify_in_turn, with, organization,
                                  image)
                            .commit(tell_classified);
            } else {
                const StepOptions patient{.retry = ai::patient_retry(with->model_patience),
                                          .timeout = 10min};
                found =
                    co_await ctx
                        .step("classify-image", patient, classify_image, with, organization, image)
                        .commit(tell_classified);
            }
            ctx.progress(2, 3, "persist-classification");
            co_await ctx.transaction("persist-classification", persist_classification, found);
            ctx.progress(3, 3, "classified");
            ImageResult result;
            result.labels = found.labels;
            co_return result;
        },
        std::move(options));
}

}  // namespace belay::workflows
