// ingesting.hpp — what files need on a server: their store, the sandboxed helper, the models, the door.
//
// Lives longer than the engine, whose steps use it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "core/env/files.hpp"
#include "core/env/pause.hpp"
#include "core/env/random.hpp"
#include "ingestion/ai/classifier.hpp"
#include "ingestion/cli/paper_models.hpp"
#include "ingestion/ingest/inbox_worker.hpp"
#include "ingestion/ingest/object_rows.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/objects/store.hpp"
#include "ingestion/workflows/paper/analyst.hpp"
#include "ingestion/workflows/paper/page_reader.hpp"
#include "ingestion/workflows/paper/services.hpp"
#include "service/cli/place.hpp"
#include "service/http/curl_client.hpp"

namespace belay::cli {

struct IngestingOptions {
    std::string objects{};  // as `--objects` has it; empty: DIR/objects
    std::string
        shared_store{};  // a store that many machines execute on, as it is shown; empty: one process does
    std::string classifier = "local";  // or "workers-ai"
    std::string workers_ai_account{};
    std::string workers_ai_token{};
    std::string workers_ai_url{};
    // What paper is read with, by its environment variable (paper_settings.hpp, paper_models.hpp).
    Environment paper = process_environment;
};

// For commands that have no settings of their own: what the environment says.
IngestingOptions ingesting_options(const Place& place, const Environment& environment);

class Ingesting {
public:
    // `clock` and `engine` outlive every call; the engine's steps must have ended when this is destroyed. Throws
    // Error{InvalidArgument} naming what cannot be.
    Ingesting(const std::filesystem::path& data_folder, const env::Clock& clock,
              const IngestingOptions& options = {});

    // Tables and workflows. Once, before the engine starts; `engine` must not be used by this after it is gone.
    void define(Engine& engine);

    // Handles messages of object stores from now on. After the engine has started; stop_inbox() before it stops.
    void start_inbox(ingest::InboxWorker::Log log);
    void stop_inbox();

    ingest::Uploads& uploads() { return *uploads_; }
    ingest::Inbox& inbox() { return *inbox_; }
    objects::Store& object_store() { return objects_; }
    isolate::Pool& pool() { return pool_; }
    const workflows::PaperServices& paper() const { return *paper_; }  // after define()

    // Why no picture can be looked at, if that is known already.
    std::optional<std::string> helper_problem() const;

private:
    env::SystemFiles files_;
    const env::Clock& clock_;
    env::SystemRandom random_;
    env::SystemPause pause_;
    const bool local_classifier_;
    const bool only_executor_;
    http::CurlClient client_;  // for what the owner of this machine configured
    std::unique_ptr<objects::Store> store_;
    std::unique_ptr<ingest::ObjectRows> rows_;  // small objects, beside a folder
    objects::Store& objects_;
    isolate::Pool pool_;
    isolate::Pool second_pool_;  // started when a page is read for the second time
    std::unique_ptr<ai::Classifier> chosen_classifier_;
    ai::Classifier& classifier_;
    std::vector<std::string> workflow_keys_;
    workflows::SandboxedPageReader page_reader_;
    PaperModels models_;
    const workflows::PaperOptions paper_options_;
    workflows::Analyst analyst_;
    std::unique_ptr<workflows::PaperServices> paper_;
    std::unique_ptr<ingest::Uploads> uploads_;
    std::unique_ptr<ingest::Inbox> inbox_;
    std::unique_ptr<ingest::InboxWorker> inbox_worker_;
};

}  // namespace belay::cli
