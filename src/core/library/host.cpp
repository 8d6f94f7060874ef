#include "core/library/host.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>  // program_invocation_short_name
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <belay/error.hpp>

#include "core/base/events.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/env/black_box.hpp"
#include "core/env/forward_clock.hpp"
#include "core/env/random.hpp"
#include "core/env/threads.hpp"
#include "core/library/replay_program.hpp"
#include "core/store/memory/memory_store.hpp"
#include "core/store/sealed_store.hpp"
#include "core/store/postgres_port.hpp"
#include "core/store/sqlite/commit_mark.hpp"
#include "core/store/sqlite/open.hpp"

namespace belay::library {
namespace {

// What a real engine stands on; kept by the engine until its end.
struct RealWorld {
    // `given` may be null: the machine's clock.
    explicit RealWorld(const EngineOptions& options, env::Clock* given,
                       std::shared_ptr<env::Clock> keep)
        : kept(std::move(keep)), clock(given != nullptr ? *given
                                       : kept           ? *kept
                                                        : system_clock),
          executor(clock, {static_cast<int>(options.pool_threads_max),
                           static_cast<int>(options.io_threads)}) {}

    std::shared_ptr<env::Clock> kept;  // of the store, shared with what moves it
    env::ForwardClock system_clock;
    env::Clock& clock;
    env::SystemRandom random;
    env::ThreadExecutor executor;
};

using store::ClockOffset;

const store::PostgresPort& postgres_port() {
    if (const store::PostgresPort* port = store::linked_postgres()) return *port;
    throw Error(
        ErrorCode::InvalidArgument,
        "this program is linked without PostgreSQL: find_package(belay COMPONENTS postgres) and "
        "link belay::postgres beside belay::belay (pkg-config: belay-postgres)");
}

std::unique_ptr<store::Store> open_plain(const StoreConfig& config, bool execute,
                                         ClockOffset offset) {
    if (config.kind == StoreConfig::Kind::Server) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} is a server, which has its store itself: ask it with a "
                                "belay::Client",
                                config.path));
    }
    if (config.kind == StoreConfig::Kind::Postgres)
        return postgres_port().open(config.path, execute,
                                    fmt::format("belay {}", program_invocation_short_name),
                                    std::move(offset));
    if (config.kind == StoreConfig::Kind::Memory) return std::make_unique<store::MemoryStore>();
    store::sqlite::OpenOptions options;
    options.execute = execute;
    options.holder = program_invocation_short_name;  // the lock adds the process id and the time
    return store::sqlite::open(config.path, options);
}

std::unique_ptr<store::Store> sealed(std::unique_ptr<store::Store> store,
                                     std::shared_ptr<const Seal> seal) {
    if (seal == nullptr) return store;
    return std::make_unique<store::SealedStore>(std::move(store), std::move(seal));
}

// A SQLite database has them beside it. The workers of a PostgreSQL database that run on one machine find each other's
// by how they name that database.
std::unique_ptr<env::BlackBoxes> boxes_of(const StoreConfig& config, const EngineOptions& options) {
    namespace fs = std::filesystem;
    const bool is_file = config.kind == StoreConfig::Kind::Sqlite;
    if (config.kind == StoreConfig::Kind::Memory) return nullptr;
    fs::path folder = options.black_box_folder;
    if (folder.empty() && is_file) folder = fs::absolute(config.path).parent_path();
    if (folder.empty()) folder = fmt::format("/var/tmp/belay-{}", ::geteuid());
    const std::string name =
        is_file ? fs::absolute(config.path).lexically_normal().string() : std::string(config.path);
    const bool is_beside = is_file && options.black_box_folder.empty();
    return env::boxes_in(folder, is_beside ? fs::path(config.path).filename().string() + "-"
                                           : base::to_hex(base::hash64(name)) + "-");
}

// The latest time that the newest run tells of; the epoch if there is none.
Time last_written(store::Store& store) {
    store::RunFilter newest;
    newest.limit = 1;
    const store::RunPage page = store.list_runs(newest);
    if (page.runs.empty()) return Time{};
    return std::max(page.runs.front().created_at, page.runs.front().updated_at);
}

}  // namespace

std::unique_ptr<store::Store> open_store(const StoreConfig& config, bool execute,
                                         std::shared_ptr<const Seal> seal) {
    return sealed(open_plain(config, execute, nullptr), std::move(seal));
}

LogSink log_sink(const EngineOptions& options) {
    if (options.log) return options.log;
    if (!options.log_to_stderr) return {};
    const char* asked = std::getenv("BELAY_LOG");
    if (options.log_format == LogFormat::Json ||
        (asked != nullptr && std::string_view(asked) == "json")) {
        return [](const LogEntry& entry) { fmt::print(stderr, "{}\n", base::log_json(entry)); };
    }
    return [](const LogEntry& entry) {
        if (entry.level == LogLevel::Info) return;
        fmt::print(stderr, "{}\n", base::log_line(entry));
    };
}

std::optional<std::string> lost_commits(const std::filesystem::path& database) {
    const auto loss = store::sqlite::CommitMark::loss_of(database);
    if (!loss) return std::nullopt;
    return store::sqlite::sentence_of(*loss);
}

void accept_lost_commits(const std::filesystem::path& database) {
    store::sqlite::CommitMark::accept_loss(database);
}

namespace {

// A database that has lost what was acknowledged: loud, and again with every start until somebody accepts it.
void say_if_older(const StoreConfig& config, const EngineOptions& options, Time now) {
    const auto loss = lost_commits(config.path);
    const LogSink sink = loss ? log_sink(options) : LogSink{};
    if (!sink) return;
    sink({now, LogLevel::Failure, "commits_lost", *loss, {}, {}, {}, {}, 0, {}});
}

}  // namespace

std::shared_ptr<engine::Core> make_core(const StoreConfig& config, const EngineOptions& options,
                                        env::Clock* clock) {
    // Nothing of the program's is touched when it is only asked to replay a history.
    const bool is_replay = asked_to_replay();
    const bool is_shared = !is_replay && config.kind == StoreConfig::Kind::Postgres;
    const ClockOffset offset = is_shared ? std::make_shared<std::atomic<std::int64_t>>(0) : nullptr;
    auto store = sealed(open_plain(is_replay ? memory() : config, true, offset), options.seal);
    const auto world = std::make_shared<RealWorld>(
        options, clock, is_shared ? postgres_port().clock(offset) : nullptr);
    // A machine's clock may be behind what the store was written with (a battery, a person): what is due is due.
    if (!is_shared && clock == nullptr) world->system_clock.saw(last_written(*store));
    EngineOptions used = options;
    // Any worker may go on with a run that waits: what this one remembers of it would only grow old.
    if (is_shared) used.waiting_in_memory_max = 0;
    if (config.kind == StoreConfig::Kind::Sqlite) say_if_older(config, options, world->clock.now());
    const bool keeps_boxes = !is_replay && options.crash_loop_deaths_max > 0;
    if (keeps_boxes && options.note_fatal_signals && config.kind != StoreConfig::Kind::Memory)
        env::note_fatal_signals();
    return std::make_shared<engine::Core>(engine::Parts{
        std::move(store),
        {world->clock, world->random, world->executor},
        used,
        log_sink(options),
        world,
        {},
        is_replay ? std::function<void(engine::Core&)>(replay_and_exit) : nullptr,
        asked_to_export() ? std::function<void(engine::Core&)>(export_histories) : nullptr,
        [is_shared](engine::Core& core) { write_definitions(core, !is_shared); },
        keeps_boxes ? boxes_of(config, options) : nullptr});
}

}  // namespace belay::library
