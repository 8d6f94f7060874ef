#include "ingestion/cli/executing.hpp"

#include <filesystem>

#include <belay/error.hpp>

#include "service/cli/data_folder.hpp"
#include "service/cli/version.hpp"

namespace belay::cli {

Executing::Executing(const Place& place, World& world, ExecutingOptions options) {
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument, "documents need a data directory: say --data DIR");
    make_data_folder(place);
    EngineOptions engine;
    engine.code_version = std::string(version());
    engine.pool_threads_max = options.threads;
    options.web.fetches_at_once = static_cast<int>(options.threads);
    organization_ = engine.organization_id;
    engine_ = std::make_unique<Engine>(config_of(place), engine);
    ingesting_ = std::make_unique<Ingesting>(place.data_folder, world.clock,
                                             ingesting_options(place, world.environment));
    ingesting_->define(*engine_);
    web_ = std::make_unique<WebDocuments>(ingesting_->object_store(), ingesting_->pool(),
                                          world.clock, world.environment, std::move(options.web));
    web_->define(*engine_);
}

}  // namespace belay::cli
