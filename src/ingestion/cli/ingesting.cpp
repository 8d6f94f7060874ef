#include "ingestion/cli/ingesting.hpp"

#include <vector>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/ai/local_classifier.hpp"
#include "ingestion/ai/remote/workers_ai.hpp"
#include "ingestion/cli/paper_settings.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/media/read_jobs.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/objects/location.hpp"
#include "ingestion/objects/s3_store.hpp"
#include "ingestion/workflows/image_classification.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/receipt.hpp"
#include "ingestion/workflows/paper/statement.hpp"

namespace belay::cli {

namespace {

// Requests to object stores take long; more at once than this and they wait for each other anyway.
constexpr int kInboxThreads = 4;

http::CurlOptions configured() {
    http::CurlOptions options;
    options.addresses = http::AddressPolicy::any();
    return options;
}

}  // namespace

IngestingOptions ingesting_options(const Place& place, const Environment& environment) {
    IngestingOptions options;
    options.objects = place.objects;
    if (!place.address.empty()) options.shared_store = shown(place);
    if (const auto which = environment("BELAY_CLASSIFIER"); which && !which->empty())
        options.classifier = *which;
    options.workers_ai_account = environment("BELAY_WORKERS_AI_ACCOUNT").value_or("");
    options.workers_ai_token = environment("BELAY_WORKERS_AI_TOKEN").value_or("");
    options.workers_ai_url = environment("BELAY_WORKERS_AI_URL").value_or("");
    options.paper = environment;
    return options;
}

namespace {

struct StoreParts {
    env::Files& files;
    const env::Clock& clock;
    env::Random& random;
    env::Pause& pause;
    http::Client& client;
};

// Whoever says so says that every worker sees that folder, under that path.
constexpr std::string_view kSharedFolder = "shared:";

void refuse_own_folder(const std::filesystem::path& folder, const std::string& shared_store) {
    if (shared_store.empty()) return;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("files would be kept in {}, where workers of {} on other machines "
                            "cannot read them. Give "
                            "--objects s3://bucket?…; or, if every worker sees that folder under "
                            "this path, --objects "
                            "{}{}",
                            folder.string(), shared_store, kSharedFolder, folder.string()));
}

std::unique_ptr<objects::Store> open_objects(const std::filesystem::path& data_folder,
                                             const IngestingOptions& options, StoreParts parts) {
    std::string where = options.objects;
    const bool is_shared = where.starts_with(kSharedFolder);
    if (is_shared) where = where.substr(kSharedFolder.size());
    if (where.empty()) where = std::filesystem::absolute(data_folder / "objects").string();
    auto location = objects::parse_location(where, objects::credentials_from_environment());
    if (const auto* folder = std::get_if<std::filesystem::path>(&location)) {
        if (!is_shared) refuse_own_folder(*folder, options.shared_store);
        return std::make_unique<objects::FilesystemStore>(*folder, parts.files, parts.clock);
    }
    const auto temp = data_folder / "objects-temp";
    std::filesystem::create_directories(temp);
    return std::make_unique<objects::S3Store>(std::get<objects::S3Options>(std::move(location)),
                                              parts.client, parts.files, temp, parts.clock,
                                              parts.random, parts.pause);
}

isolate::PoolOptions helper(const IngestingOptions& options) {
    isolate::PoolOptions pool;
    pool.environment = helper_environment(options.paper);
    pool.arguments = {fmt::format("-{}", media::ReadPageAgain::kName)};
    return pool;
}

// The second reader's models take memory from every job that is forked from beside them.
isolate::PoolOptions second_helper(const IngestingOptions& options) {
    isolate::PoolOptions pool = helper(options);
    pool.arguments = {std::string(media::ReadPageAgain::kName)};
    return pool;
}

std::unique_ptr<ai::Classifier> open_classifier(const IngestingOptions& options,
                                                isolate::Pool& pool, http::Client& client,
                                                const env::Clock& clock) {
    if (options.classifier == "local") return std::make_unique<ai::LocalClassifier>(pool);
    if (options.classifier != "workers-ai")
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("classifier is local or workers-ai, not `{}`", options.classifier));
    ai::remote::WorkersAiOptions remote;
    remote.account_id = options.workers_ai_account;
    remote.api_token = options.workers_ai_token;
    if (!options.workers_ai_url.empty()) remote.base_url = options.workers_ai_url;
    return std::make_unique<ai::remote::WorkersAiClassifier>(remote, client, clock);
}

}  // namespace

Ingesting::Ingesting(const std::filesystem::path& data_folder, const env::Clock& clock,
                     const IngestingOptions& options)
    : clock_(clock), local_classifier_(options.classifier == "local"),
      only_executor_(options.shared_store.empty()), client_(configured()),
      store_(open_objects(data_folder, options, {files_, clock_, random_, pause_, client_})),
      objects_(*store_), pool_(helper(options)), second_pool_(second_helper(options)),
      chosen_classifier_(open_classifier(options, pool_, client_, clock_)),
      classifier_(*chosen_classifier_), page_reader_(pool_, second_pool_),
      models_(options.paper, clock), paper_options_(paper_options(options.paper)),
      analyst_(clock, models_.models(), paper_options_.review_below) {}

void Ingesting::define(Engine& engine) {
    engine.migrate(ingest::kOwner, ingest::migrations());
    engine.migrate(ingest::kObjectRowsOwner, ingest::object_row_migrations());
    // Objects in a bucket stay there, small or not: others read them, too.
    if (auto* folder = dynamic_cast<objects::FilesystemStore*>(store_.get())) {
        rows_ = std::make_unique<ingest::ObjectRows>(engine);
        folder->use(*rows_);
    }
    workflows::define_image_classification({engine, objects_, classifier_,
                                            local_classifier_ ? &pool_.turns() : nullptr,
                                            paper_options_.model_patience});
    paper_ = std::make_unique<workflows::PaperServices>(workflows::PaperServices{
        engine, objects_, page_reader_, pool_.turns(), analyst_, clock_, paper_options_});
    workflows::define_receipt(*paper_);
    workflows::define_invoice(*paper_);
    workflows::define_statement(*paper_);
    const std::vector<std::string> keys{
        std::string(workflows::kImageClassification),
        std::string(workflows::kReceiptWorkflow),
        std::string(workflows::kInvoiceWorkflow),
        std::string(workflows::kStatementWorkflow),
    };
    uploads_ = std::make_unique<ingest::Uploads>(engine, objects_, keys);
    workflow_keys_ = keys;
    inbox_ = std::make_unique<ingest::Inbox>(engine, clock_, random_);
}

void Ingesting::start_inbox(ingest::InboxWorker::Log log) {
    inbox_worker_ =
        std::make_unique<ingest::InboxWorker>(*inbox_, objects_, workflow_keys_, std::move(log));
    // One process executes on a SQLite file: whatever was claimed, nobody is at it any more. Of many workers another may
    // be at it; what a dead one had claimed comes back when its claim is over.
    if (only_executor_) inbox_->release_claims();
    inbox_worker_->start(kInboxThreads);
}

void Ingesting::stop_inbox() {
    if (inbox_worker_) inbox_worker_->stop();
}

std::optional<std::string> Ingesting::helper_problem() const {
    if (!local_classifier_) return std::nullopt;
    const std::string helper = isolate::default_helper();
    std::error_code error;
    if (std::filesystem::exists(helper, error)) return std::nullopt;
    return fmt::format("{} is not there: no picture can be read until it is", helper);
}

}  // namespace belay::cli
