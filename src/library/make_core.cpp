#include "library/make_core.hpp"

#include <cerrno>  // program_invocation_short_name
#include <cstdio>

#include <fmt/format.h>

#include "env/clock.hpp"
#include "env/random.hpp"
#include "env/threads.hpp"
#include "library/replay_program.hpp"
#include "store/memory/memory_store.hpp"
#include "store/sqlite/open.hpp"

namespace belay::library {
namespace {

// What a real engine stands on; kept by the engine until its end.
struct RealWorld {
    explicit RealWorld(const EngineOptions& options, env::Clock* given)
        : clock(given != nullptr ? *given : system_clock),
          executor(clock, {static_cast<int>(options.pool_threads_max), static_cast<int>(options.io_threads)}) {}

    env::SystemClock system_clock;
    env::Clock& clock;
    env::SystemRandom random;
    env::ThreadExecutor executor;
};

}  // namespace

std::unique_ptr<store::Store> open_store(const StoreConfig& config, bool execute) {
    if (config.kind == StoreConfig::Kind::Memory) return std::make_unique<store::MemoryStore>();
    store::sqlite::OpenOptions options;
    options.execute = execute;
    options.holder = program_invocation_short_name;  // the lock adds the process id and the time
    return store::sqlite::open(config.path, options);
}

engine::Log log_to_stderr() {
    return [](engine::LogLevel level, std::string_view, std::string_view sentence) {
        if (level == engine::LogLevel::Info) return;
        fmt::print(stderr, "belay: {}: {}\n", level == engine::LogLevel::Warning ? "warning" : "failure",
                   sentence);
    };
}

std::shared_ptr<engine::Core> make_core(const StoreConfig& config, const EngineOptions& options,
                                        env::Clock* clock) {
    // Nothing of the program's is touched when it is only asked to replay a history.
    const bool is_replay = asked_to_replay();
    auto store = open_store(is_replay ? memory() : config, true);
    const auto world = std::make_shared<RealWorld>(options, clock);
    engine::Log log = options.log_to_stderr
                          ? log_to_stderr()
                          : engine::Log{[](engine::LogLevel, std::string_view, std::string_view) {}};
    return std::make_shared<engine::Core>(engine::Parts{
        std::move(store), {world->clock, world->random, world->executor}, options, std::move(log), world, {},
        is_replay ? std::function<void(engine::Core&)>(replay_and_exit) : nullptr,
        asked_to_export() ? std::function<void(engine::Core&)>(export_histories) : nullptr});
}

}  // namespace belay::library
