#include "ingestion/cli/executing.hpp"

#include <filesystem>

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/log.hpp>

#include "core/base/events.hpp"
#include "ingestion/cli/own_organization.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/version.hpp"

namespace belay::cli {

namespace {

// The command says of each of its runs how it ended, once; the log has what else there is to know.
void tell(const LogEntry& entry) {
    const bool is_end = entry.event == "run_failed" ||
                        (entry.event == "attempt_failed" && entry.level == LogLevel::Failure);
    if (is_end || entry.level == LogLevel::Info) return;
    fmt::print(stderr, "{}\n", base::log_line(entry));
}

}  // namespace

Executing::Executing(const Place& place, World& world, ExecutingOptions options) {
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument, "documents need a data directory: say --data DIR");
    make_data_folder(place);
    EngineOptions engine;
    engine.code_version = std::string(version());
    engine.pool_threads_max = options.threads;
    if (world.environment("BELAY_LOG").value_or("") != "json") engine.log = tell;
    options.web.fetches_at_once = static_cast<int>(options.threads);
    organization_ = engine.organization_id = own_organization(world);
    engine_ = std::make_unique<Engine>(config_of(place), engine);
    ingesting_ = std::make_unique<Ingesting>(place.data_folder, world.clock,
                                             ingesting_options(place, world.environment));
    ingesting_->define(*engine_);
    web_ = std::make_unique<WebDocuments>(ingesting_->object_store(), ingesting_->pool(),
                                          world.clock, world.environment, std::move(options.web));
    web_->define(*engine_);
}

}  // namespace belay::cli
