// ingesting.hpp — what files need on a server: their store, the sandboxed helper, the models, the door.
//
// Lives longer than the engine, whose steps use it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <belay/engine.hpp>

#include "ai/local_classifier.hpp"
#include "cli/paper_models.hpp"
#include "env/clock.hpp"
#include "env/files.hpp"
#include "ingest/uploads.hpp"
#include "isolate/pool.hpp"
#include "objects/filesystem_store.hpp"
#include "workflows/paper/analyst.hpp"
#include "workflows/paper/page_reader.hpp"
#include "workflows/paper/services.hpp"

namespace belay::cli {

class Ingesting {
public:
    // Objects are kept in DIR/objects. `clock` and `engine` outlive every call; the engine's steps must have ended
    // when this is destroyed.
    Ingesting(const std::filesystem::path& data_folder, const env::Clock& clock);

    // Tables and workflows. Once, before the engine starts; `engine` must not be used by this after it is gone.
    void define(Engine& engine);

    ingest::Uploads& uploads() { return *uploads_; }
    objects::Store& object_store() { return objects_; }
    const workflows::PaperServices& paper() const { return *paper_; }  // after define()

    // Why no picture can be looked at, if that is known already.
    std::optional<std::string> helper_problem() const;

private:
    const env::Clock& clock_;
    env::SystemFiles files_;
    objects::FilesystemStore objects_;
    isolate::Pool pool_;
    ai::LocalClassifier classifier_;
    workflows::SandboxedPageReader page_reader_;
    PaperModels models_;
    workflows::Analyst analyst_;
    workflows::PaperOptions paper_options_;
    std::unique_ptr<workflows::PaperServices> paper_;
    std::unique_ptr<ingest::Uploads> uploads_;
};

}  // namespace belay::cli
